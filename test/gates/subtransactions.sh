# A subtransaction that is begun is ended before any error leaves: otherwise the transaction
# around it loses what the session commits later. And who swallows an error without a
# subtransaction says which errors, and raises all others: of these alone it is known
# that nothing was open or locked.
set -euo pipefail
find src kernels -name '*.c' -print0 | sort -z | xargs -0 awk '
	function complain(line, text)
	{
		print FILENAME ":" line ": " text
		bad = 1
	}
	FNR == 1 { begun = caught = 0 }
	/BeginInternalSubTransaction/ { begun = FNR; ended = 0 }
	/RollbackAndReleaseCurrentSubTransaction/ { ended = 1 }
	begun && !ended && /PG_RE_THROW|ReThrowError|ereport\(ERROR|elog\(ERROR/ {
		complain(FNR, "an error leaves the subtransaction of line " begun ", which has not ended")
	}
	/PG_CATCH\(\)/ { caught = FNR; swallows = rethrows = excludes = rolls = 0 }
	/FlushErrorState/ { swallows = 1 }
	/PG_RE_THROW|ReThrowError/ { rethrows = 1 }
	/ERRCODE_OPERATOR_INTERVENTION|ERRCODE_QUERY_CANCELED/ { excludes = 1 }
	/RollbackAndRelease/ { rolls = 1 }
	/PG_END_TRY/ && caught {
		if (swallows && !rolls && (!rethrows || excludes))
			complain(caught, "swallows errors without a subtransaction: name those, and raise all others")
		caught = 0
	}
	/^}/ && begun {
		if (!ended)
			complain(begun, "the subtransaction is not rolled back")
		begun = 0
	}
	END { exit bad }'
