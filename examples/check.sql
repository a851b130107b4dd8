-- What the examples check their results with: errors end them.

create or replace function pg_temp.agree(what text, difference float8) returns text
language plpgsql as $$
begin
	if difference is null or not difference <= 1e-9 then
		raise exception '%: results differ by %', what, difference;
	end if;
	return format('ok: %s agree to 1e-9 (largest difference %s)', what, difference);
end
$$;

create or replace function pg_temp.holds(what text, fact boolean) returns text
language plpgsql as $$
begin
	if fact is not true then
		raise exception 'not so: %', what;
	end if;
	return 'ok: ' || what;
end
$$;
