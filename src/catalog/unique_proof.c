/*-------------------------------------------------------------------------
 *
 * unique_proof.c
 *	  What the constraints of a relation prove about the keys of a tensor.
 *
 * A proof must hold whatever happens to the data while the constraint exists:
 * generated SQL relies on it. So a deferrable
 * constraint proves nothing (it may be violated within a transaction), nor is a
 * constraint of a parent table, whose children's rows it does not cover, nor a
 * CHECK of a partitioned table that has a foreign partition.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_collate.h"
#include "parser/parse_oper.h"
#include "partitioning/partdesc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "catalog/origin.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "catalog/unique_proof.h"
#include "compat.h"
#include "recursion.h"

/* Returns the dimension whose key is this column, or -1. */
static int
dimension_of_column(const Storage *storage, AttrNumber attno)
{
	int i;

	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED &&
			storage->dimensions[i].attno == attno)
			return i;
	}
	return -1;
}

/*
 * Does the relation read rows that its own unique indexes do not govern? Tables with
 * inheritance children do. Partitioned tables do not: their indexes span all partitions,
 * and cannot be unique and valid if a partition is foreign.
 */
static bool
has_other_rows(Relation relation)
{
	if (relation->rd_rel->relkind != RELKIND_RELATION)
		return relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE &&
			   relation->rd_rel->relkind != RELKIND_MATVIEW;
	return relation->rd_rel->relhassubclass &&
		   find_inheritance_children(RelationGetRelid(relation), NoLock) != NIL;
}

/*
 * Does a partitioned table have a foreign partition at any depth? Partitions are looked
 * up in the relation cache, without scanning catalogs or locking leaves, since this is
 * called for every condition of a query that is planned. A partition that is being
 * detached counts, for other snapshots may still read it.
 */
static bool
has_foreign_partition(Relation relation)
{
	PartitionDesc partitions = RelationGetPartitionDesc(relation, false);
	bool found = false;

	enter_recursion();
	for (int i = 0; i < partitions->nparts && !found; i++)
	{
		Relation child;

		if (partitions->is_leaf[i])
		{
			found = get_rel_relkind(partitions->oids[i]) == RELKIND_FOREIGN_TABLE;
			continue;
		}
		child = try_relation_open(partitions->oids[i], AccessShareLock);
		if (child == NULL)
			continue;
		found = child->rd_rel->relkind == RELKIND_PARTITIONED_TABLE &&
				has_foreign_partition(child);
		relation_close(child, AccessShareLock);
	}
	return found;
}

bool
has_unchecked_rows(Relation relation)
{
	return has_other_rows(relation) ||
		   (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE &&
			has_foreign_partition(relation));
}

/*
 * Returns the set of dimensions whose keys, some of them ranges, an exclusion constraint
 * proves not to overlap where the others are equal; or 0. Rows with a NULL are no entries.
 */
static int
dimensions_of_exclusion(const Storage *storage, Relation relation, Relation index)
{
	Form_pg_index form = index->rd_index;
	Oid *operators;
	Oid *procedures;
	uint16 *strategies;
	int set = 0;

	if (!form->indimmediate || !form->indisvalid || !form->indislive ||
		RelationGetIndexPredicate(index) != NIL ||
		RelationGetIndexExpressions(index) != NIL)
		return 0;
	RelationGetExclusionInfo(index, &operators, &procedures, &strategies);
	for (int i = 0; i < form->indnkeyatts; i++)
	{
		AttrNumber attno = form->indkey.values[i];
		int dimension = attno > 0 ? dimension_of_column(storage, attno) : -1;
		Form_pg_attribute column;
		Oid proves;

		if (dimension < 0)
			return 0;
		column = TupleDescAttr(RelationGetDescr(relation), attno - 1);
		proves = OidIsValid(storage->dimensions[dimension].range_type)
					 ? OID_RANGE_OVERLAP_OP
					 : lookup_type_cache(column->atttypid, TYPECACHE_EQ_OPR)->eq_opr;
		if (operators[i] != proves || index->rd_indcollation[i] != column->attcollation)
			return 0;
		set |= 1 << dimension;
	}
	return set;
}

/* Returns the set of dimensions that an index proves unique, or 0. */
static int
dimensions_of_index(const Storage *storage, Relation relation, Relation index,
					bool no_nulls)
{
	Form_pg_index form = index->rd_index;
	TupleDesc columns = RelationGetDescr(relation);
	int set = 0;
	int i;

	if (form->indisexclusion)
		return dimensions_of_exclusion(storage, relation, index);
	if (!form->indisunique || !form->indimmediate || !form->indisvalid ||
		!form->indislive || RelationGetIndexPredicate(index) != NIL ||
		RelationGetIndexExpressions(index) != NIL)
		return 0;
	for (i = 0; i < form->indnkeyatts; i++)
	{
		AttrNumber attno = form->indkey.values[i];
		int dimension = attno > 0 ? dimension_of_column(storage, attno) : -1;
		Form_pg_attribute column;
		TypeCacheEntry *type;

		/* ranges that differ may have a key in common */
		if (dimension < 0 || OidIsValid(storage->dimensions[dimension].range_type))
			return 0;
		column = TupleDescAttr(columns, attno - 1);
		type = lookup_type_cache(column->atttypid, TYPECACHE_EQ_OPR);
		if ((no_nulls && !COLUMN_IS_NOT_NULL(columns, attno - 1)) ||
			index->rd_indcollation[i] != column->attcollation ||
			get_opfamily_member(index->rd_opfamily[i], index->rd_opcintype[i],
								index->rd_opcintype[i],
								BTEqualStrategyNumber) != type->eq_opr)
			return 0;
		set |= 1 << dimension;
	}
	return set;
}

/*
 * Returns the smallest set of dimensions that is proved unique, and sets *best_index to
 * the index that proves it.
 */
static int
best_proof(const Storage *storage, Relation relation, bool no_nulls, Oid *best_index)
{
	ListCell *cell;
	int best = 0;

	*best_index = InvalidOid;
	if (has_other_rows(relation))
		return 0;
	foreach (cell, RelationGetIndexList(relation))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);
		int set = dimensions_of_index(storage, relation, index, no_nulls);

		/* views can depend on a constraint, but not on a bare index */
		if (set != 0 && (best == 0 || pg_popcount32(set) < pg_popcount32(best) ||
						 (pg_popcount32(set) == pg_popcount32(best) &&
						  !OidIsValid(get_index_constraint(*best_index)) &&
						  OidIsValid(get_index_constraint(lfirst_oid(cell))))))
		{
			best = set;
			*best_index = lfirst_oid(cell);
		}
		index_close(index, AccessShareLock);
	}
	return best;
}

/*
 * Must the columns of an index be NOT NULL? Those of a materialized view cannot be; and
 * rows with a NULL key are not entries.
 */
static bool
nulls_count(Relation relation)
{
	return relation->rd_rel->relkind != RELKIND_MATVIEW;
}

bool
find_unique_proof(Storage *storage, Relation relation)
{
	storage->unique_index = InvalidOid;
	storage->constraint = InvalidOid;
	storage->unique_dimensions =
		best_proof(storage, relation, nulls_count(relation), &storage->unique_index);
	if (storage->unique_dimensions == 0)
		return false;
	/* keys that are unique in the relation are so among entries with these */
	storage->unique_dimensions |=
		exchanged_dimensions(storage) | range_dimensions(storage);
	storage->constraint = get_index_constraint(storage->unique_index);
	return true;
}

bool
present_keys_are_unique(const Storage *storage, Relation relation)
{
	Oid index;

	return best_proof(storage, relation, false, &index) != 0;
}

bool
proved_not_null(const Storage *storage, AttrNumber attno)
{
	HeapTuple tuple;
	Form_pg_index index;
	bool found = false;

	if (!OidIsValid(storage->constraint))
		return false;
	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(storage->unique_index));
	/*
	 * the index may be gone if its lock has ended since, as after a commit between
	 * rounds: then nothing is proved
	 */
	if (!HeapTupleIsValid(tuple))
		return false;
	index = (Form_pg_index) GETSTRUCT(tuple);
	for (int i = 0; index->indisprimary && i < index->indnkeyatts; i++)
		found = found || index->indkey.values[i] == attno;
	ReleaseSysCache(tuple);
	return found;
}

int
unique_dimensions(const Storage *storage, Relation relation)
{
	Oid index;
	int rows;

	if (!is_read_by_subquery(storage))
		return best_proof(storage, relation, nulls_count(relation), &index);
	if (!layout_has_unique_entries(storage, relation, &(StorageProblem){0}))
		return 0;
	/* with one row its entries are all */
	if (key_column_count(storage) == 0)
		return storage->duplicates == DUPLICATES_ERROR ? layout_dimensions(storage) : 0;
	rows = best_proof(storage, relation, nulls_count(relation), &index);
	return rows == 0 ? 0
					 : rows | layout_dimensions(storage) | exchanged_dimensions(storage) |
						   range_dimensions(storage);
}

List *
nullable_unique_columns(const Storage *storage, Relation relation)
{
	TupleDesc columns = RelationGetDescr(relation);
	List *names = NIL;
	Oid index;
	int set = best_proof(storage, relation, false, &index);

	for (int i = 0; i < storage->rank; i++)
	{
		AttrNumber attno = storage->dimensions[i].attno;

		if ((set & (1 << i)) && !COLUMN_IS_NOT_NULL(columns, attno - 1))
			names = lappend(names, NameStr(TupleDescAttr(columns, attno - 1)->attname));
	}
	return names;
}

/* Makes the expression "column operator bound". */
static Node *
range_clause(const StorageDimension *dimension, const char *operator, int64 bound)
{
	Oid type = getBaseType(dimension->key_type);
	bool days = bound_has_days(dimension->bound) && type == DATEOID;
	Oid opno = OpernameGetOprid(
		list_make2(makeString("pg_catalog"), makeString(pstrdup(operator))), type,
		days ? DATEOID : INT8OID);
	Var *column = makeVar(1, dimension->attno, dimension->key_type, -1, InvalidOid, 0);
	Node *left = (Node *) column;

	if (type != dimension->key_type)
		left = (Node *) makeRelabelType((Expr *) column, type, -1, InvalidOid,
										COERCE_IMPLICIT_CAST);
	return (Node *) make_opclause(
		opno, BOOLOID, false, (Expr *) left,
		(Expr *) (days ? makeConst(DATEOID, -1, InvalidOid, sizeof(DateADT),
								   DateADTGetDatum((DateADT) bound), false, true)
					   : makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
								   Int64GetDatum(bound), false, FLOAT8PASSBYVAL)),
		InvalidOid, InvalidOid);
}

List *
proven_checks(Relation relation)
{
	TupleConstr *constraints = RelationGetDescr(relation)->constr;
	List *clauses = NIL;
	int i;

	if (constraints == NULL || constraints->num_check == 0 ||
		has_unchecked_rows(relation))
		return NIL;
	for (i = 0; i < constraints->num_check; i++)
	{
		ConstrCheck *check = &constraints->check[i];
		Node *expression;

		if (!check->ccvalid || !CHECK_IS_ENFORCED(*check))
			continue;
		expression = eval_const_expressions(NULL, stringToNode(check->ccbin));
		expression = (Node *) canonicalize_qual((Expr *) expression, true);
		clauses = list_concat(clauses, make_ands_implicit((Expr *) expression));
	}
	return clauses;
}

/*
 * Makes the expression "one operator other" of two columns; NULL if their type has no
 * such operator.
 */
static Node *
comparison(const FormData_pg_attribute *one, const FormData_pg_attribute *other,
		   const char *name)
{
	ParseState *state = make_parsestate(NULL);
	List *operator= list_make2(makeString("pg_catalog"), makeString(pstrdup(name)));
	Operator found = oper(state, operator, one->atttypid, other->atttypid, true, -1);
	Node *clause;

	if (found == NULL)
		return NULL;
	ReleaseSysCache(found);
	clause = (Node *) make_op(state, operator,(Node *)
										 makeVar(1, one->attnum, one->atttypid,
												 one->atttypmod, one->attcollation, 0),
							  (Node *) makeVar(1, other->attnum, other->atttypid,
											   other->atttypmod, other->attcollation, 0),
							  NULL, -1);
	assign_expr_collations(state, clause);
	return eval_const_expressions(NULL, clause);
}

bool
columns_are_ordered(Relation relation, AttrNumber one, AttrNumber other)
{
	static const char *const operators[] = {"<=", ">="};
	List *checks = proven_checks(relation);
	TupleDesc columns = RelationGetDescr(relation);

	for (int o = 0; checks != NIL && o < lengthof(operators); o++)
	{
		Node *clause = comparison(TupleDescAttr(columns, one - 1),
								  TupleDescAttr(columns, other - 1), operators[o]);

		if (clause && predicate_implied_by(list_make1(clause), checks, true))
			return true;
	}
	return false;
}

bool
has_no_null(Relation relation, AttrNumber attno)
{
	return COLUMN_IS_NOT_NULL(RelationGetDescr(relation), attno - 1) &&
		   !has_unchecked_rows(relation);
}

void
find_range_proofs(Storage *storage, Relation relation)
{
	List *checks = proven_checks(relation);
	int i;

	for (i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];
		int64 keys = dimension_key_count(dimension);
		int64 first = dimension_first_key(dimension);

		dimension->range_proved = false;
		if (dimension->kind == DIMENSION_DEMOTED || keys < 0 ||
			is_layout_index(storage, i) || OidIsValid(dimension->range_type))
			continue;
		/*
		 * A CHECK also permits NULL, but rows with NULL keys are absent entries. So what
		 * is needed is weak implication: from "not false" to "not false".
		 */
		dimension->range_proved =
			checks != NIL &&
			predicate_implied_by(list_make2(range_clause(dimension, ">=", first),
											range_clause(dimension, "<", first + keys)),
								 checks, true);
	}
	/* each of two labels that are exchanged has the keys of both */
	if (storage->symmetric)
	{
		StorageDimension *last = &storage->dimensions[storage->rank - 1];

		last[0].range_proved = last[-1].range_proved =
			last[0].range_proved && last[-1].range_proved;
	}
}
