/*-------------------------------------------------------------------------
 *
 * tensor_storage.c
 *	  Fitting a registration to the relation it is about.
 *
 * The relation may have changed since it was registered (a column renamed, a
 * constraint dropped), or, after a restore, may not have its constraints yet.
 * So everything is looked up again at each use, and a misfit is described
 * rather than raised: einsum_tensors lists it, all others report it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "catalog/citus.h"
#include "catalog/declare.h"
#include "catalog/dimension.h"
#include "catalog/origin.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "catalog/unique_proof.h"
#include "catalog/value_columns.h"
#include "catalog/view_column.h"
#include "compat.h"
#include "parser/near_names.h"
#include "type/extension.h"
#include "type/tensor.h"
#include "type/tensor_text.h"

/* The most columns that a hint lists when one is missing. */
#define MAX_COLUMNS_LISTED 20

int
storage_value_rank(const Storage *storage)
{
	int rank = 0;
	int i;

	for (i = 0; i < storage->rank; i++)
		rank += storage->dimensions[i].kind != DIMENSION_PROMOTED;
	return rank;
}

int
storage_key_count(const Storage *storage)
{
	int count = 0;
	int i;

	for (i = 0; i < storage->rank; i++)
		count += storage->dimensions[i].kind != DIMENSION_DEMOTED;
	return count;
}

int64
dimension_key_count(const StorageDimension *dimension)
{
	int64 bound = bound_size(dimension->bound);

	if (dimension->kind != DIMENSION_BLOCKED || bound < 0)
		return bound;
	return bound / dimension->block + (bound % dimension->block != 0);
}

bool
dimension_has_days(const StorageDimension *dimension)
{
	return dimension->kind == DIMENSION_PROMOTED && bound_has_days(dimension->bound);
}

int64
dimension_first_key(const StorageDimension *dimension)
{
	return dimension->kind == DIMENSION_BLOCKED ? 0 : bound_first(dimension->bound);
}

bool
storage_has_tensors(const Storage *storage)
{
	return storage_value_rank(storage) > 0 ||
		   (OidIsValid(storage->value_type) &&
			getBaseType(storage->value_type) == tensor_type_oid());
}

void
report_problem(const StorageProblem *problem)
{
	ereport(ERROR, (errcode(problem->sqlstate), errmsg_internal("%s", problem->message),
					problem->detail ? errdetail_internal("%s", problem->detail) : 0,
					problem->hint ? errhint("%s", problem->hint) : 0));
}

char *
qualified_relation_name(Oid relid)
{
	char *schema = get_namespace_name(get_rel_namespace(relid));
	char *name = get_rel_name(relid);

	if (schema == NULL || name == NULL)
		report_dropped_relation(relid, name);
	return quote_qualified_identifier(schema, name);
}

char *
storage_relation_name(const Storage *storage)
{
	return storage->gathered ? pstrdup(storage->gathered)
							 : qualified_relation_name(storage->relid);
}

bool
is_integer_type(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

bool
casts_to(Oid source, Oid target)
{
	Oid function;
	CoercionPathType path;

	path = find_coercion_pathway(target, source, COERCION_EXPLICIT, &function);
	return path == COERCION_PATH_FUNC || path == COERCION_PATH_RELABELTYPE;
}

Form_pg_attribute
user_column(Relation relation, const char *name)
{
	TupleDesc columns = RelationGetDescr(relation);
	int i;

	for (i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (!column->attisdropped && strcmp(NameStr(column->attname), name) == 0)
			return column;
	}
	return NULL;
}

/* Was a bound given for some label? */
static bool
has_bounds(const Storage *storage)
{
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].bound != BOUND_UNKNOWN)
			return true;
	}
	return false;
}

/*
 * Returns the hint for a missing column: the nearest name, and which columns there are.
 */
static char *
other_columns_hint(const Storage *storage, Relation relation, const char *name)
{
	TupleDesc columns = RelationGetDescr(relation);
	NearNames names = {.name = name};
	const char *nearest;
	char *all;

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (!column->attisdropped)
			offer_name(&names, NameStr(column->attname));
	}
	nearest = nearest_name(&names);
	all = names_by_nearness(&names, MAX_COLUMNS_LISTED);
	if (strspn(name, "0123456789.") == strlen(name))
		return has_bounds(storage)
				   ? psprintf("'%s' is taken for the name of a column. %s The columns "
							  "are %s.",
							  name,
							  strcmp(name, "1") == 0
								  ? "Where each row means 1, leave value out."
								  : "Where each row means the same number, leave value "
									"out and multiply by it in the program.",
							  all)
				   : psprintf("'%s' is taken for the name of a column; bounds are the "
							  "fifth argument: bounds => '{%s}'. Where each row means 1, "
							  "leave value out. The columns are %s.",
							  name, name, all);
	/* for expressions like ln(v), and edge.weight */
	if (strpbrk(name, "()+*/<>=:|,'") || (nearest == NULL && strchr(name, '-')))
		return psprintf(
			"Only the name of a column stands here: register a view that has "
			"%s as a column, or compute it of the values in the program, as in "
			"ln(x[i]). The columns are %s.",
			name, all);
	if (strchr(name, '.') && user_column(relation, strrchr(name, '.') + 1))
		return psprintf("Write the name of the column alone: %s. The columns are %s.",
						strrchr(name, '.') + 1, all);
	return nearest
			   ? psprintf("Perhaps you meant the column \"%s\". The columns are %s.",
						  nearest, all)
			   : psprintf(
					 "The columns are %s. Names of columns are taken as they are, not "
					 "folded to lower case. After renaming a column, call %s.",
					 all,
					 is_dimension(storage) ? "einsum_unregister and then einsum_dimension"
										   : "einsum_register with replace => true");
}

bool
no_column(const Storage *storage, Relation relation, const char *name, const char *role,
		  StorageProblem *problem)
{
	problem->sqlstate = ERRCODE_UNDEFINED_COLUMN;
	problem->message = psprintf("column \"%s\" of relation \"%s\" does not exist", name,
								RelationGetRelationName(relation));
	problem->detail =
		is_dimension(storage)
			? psprintf("It is to be the key of dimension \"%s\".", storage->tensor)
			: psprintf("It is %s of tensor \"%s\".", role, storage->tensor);
	problem->hint = other_columns_hint(storage, relation, name);
	return false;
}

/*
 * Does the type's equality belong to pg_catalog? Joins compare keys by operators of
 * pg_catalog; with another equality, as of citext, foreign keys, unique indexes and GROUP
 * BY would mean other keys.
 */
static bool
compares_by_catalog(const TypeCacheEntry *type)
{
	return get_func_namespace(get_opcode(type->eq_opr)) == PG_CATALOG_NAMESPACE;
}

static bool
resolve_key(Storage *storage, StorageDimension *dimension, Relation relation,
			StorageProblem *problem)
{
	Form_pg_attribute column = user_column(relation, dimension->column);
	Oid type;

	if (column == NULL)
		return no_column(storage, relation, dimension->column,
						 psprintf("the key of label \"%s\"", dimension->label), problem);
	dimension->attno = column->attnum;
	dimension->key_type = column->atttypid;
	if (!resolve_range(storage, dimension, relation, problem))
		return false;
	type = getBaseType(dimension->key_type);

	if (bound_is_open(dimension->bound))
	{
		TypeCacheEntry *entry =
			lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);

		if (OidIsValid(entry->eq_opr) && OidIsValid(entry->hash_proc) &&
			compares_by_catalog(entry))
			return dimension->index_set == NULL ||
				   resolve_index_set(storage, dimension, relation, problem);
		problem->message = psprintf(
			"column \"%s\" of relation \"%s\" cannot be a key of tensor \"%s\"",
			dimension->column, RelationGetRelationName(relation), storage->tensor);
		problem->detail =
			psprintf(OidIsValid(entry->eq_opr) && OidIsValid(entry->hash_proc)
						 ? "Type %s has an equality of its own, not one of PostgreSQL's."
						 : "Type %s cannot be hashed.",
					 format_type_be(column->atttypid));
		problem->hint = pstrdup("A view may convert it.");
	}
	else if (dimension_has_days(dimension) ? type == DATEOID : is_integer_type(type))
		return true;
	else
	{
		problem->message = psprintf(
			"column \"%s\" of relation \"%s\" cannot be a key of tensor \"%s\"",
			dimension->column, RelationGetRelationName(relation), storage->tensor);
		problem->detail =
			bound_has_origin(dimension->bound)
				? psprintf("The bound of label \"%s\" is %s, so that its key must be %s, "
						   "not %s.",
						   dimension->label, bounded_to_string(dimension->bound),
						   dimension_has_days(dimension) ? "a date" : "an integer",
						   format_type_be(column->atttypid))
				: psprintf("Keys count from 0, so the key of label \"%s\" must be an "
						   "integer, not %s.",
						   dimension->label, format_type_be(column->atttypid));
		problem->hint =
			dimension_has_days(dimension) ? pstrdup("A view may convert it.")
			: type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID
				? psprintf("Where its numbers are whole, as programs write them that "
						   "keep ids as floating point: ALTER TABLE %s ALTER %s TYPE "
						   "bigint, or a view that casts it.",
						   quote_identifier(RelationGetRelationName(relation)),
						   quote_identifier(dimension->column))
			: type == DATEOID
				? psprintf(
					  "Give label \"%s\" the first and the last day as its bound, as in "
					  "2020-01-01..2020-12-31; or '*', if the keys that occur are all "
					  "there are.",
					  dimension->label)
				: psprintf("Declare the table that has each key once with "
						   "einsum_dimension, and give its name as the bound of label "
						   "\"%s\"; or the bound '*', if the keys that occur are all "
						   "there are.",
						   dimension->label);
	}
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	return false;
}

/* Returns how a column's type modifier contradicts the registration, or NULL. */
static char *
declared_otherwise(const Storage *storage, Form_pg_attribute column, int rank)
{
	int32 typmod = column->atttypmod;
	int declared;

	if (getBaseTypeAndTypmod(column->atttypid, &typmod) != tensor_type_oid() ||
		typmod < 0)
		return NULL;
	declared = tensor_typmod_rank(typmod);
	if (declared >= 0 && declared != rank)
		return psprintf("The value must be a tensor of rank %d; the column is declared "
						"with rank %d.",
						rank, declared);
	/* the element type is not known while registering, until values have been read */
	if (storage->element_type != 0 &&
		tensor_typmod_type(typmod, storage->element_type) != storage->element_type)
		return psprintf(
			"It is registered with element type %s; the column is declared with %s.",
			element_type_name(storage->element_type),
			element_type_name(tensor_typmod_type(typmod, storage->element_type)));
	return NULL;
}

static bool
resolve_value(Storage *storage, Relation relation, StorageProblem *problem)
{
	int rank = storage_value_rank(storage);
	Form_pg_attribute column;
	int32 typmod;
	Oid type;

	storage->value_attno = InvalidAttrNumber;
	storage->value_type = InvalidOid;
	storage->sparse_values = false;
	if (storage->value_column == NULL)
	{
		storage->element_type = ELEMENT_FLOAT8;
		if (rank == 0)
			return true;
		problem->sqlstate = ERRCODE_INVALID_PARAMETER_VALUE;
		problem->message =
			psprintf("tensor \"%s\" needs a value column", storage->tensor);
		problem->detail =
			psprintf("Labels in lower case or with a block size are dimensions of "
					 "the value; without a value column a row means 1.");
		problem->hint = pstrdup("Name the column with value => '...'.");
		return false;
	}

	if (storage->value_parts != NIL)
		return resolve_value_parts(storage, relation, problem);
	column = user_column(relation, storage->value_column);
	if (column == NULL)
		return no_column(storage, relation, storage->value_column, "the value", problem);
	storage->value_attno = column->attnum;
	storage->value_type = column->atttypid;
	typmod = column->atttypmod;
	type = getBaseTypeAndTypmod(column->atttypid, &typmod);
	storage->sparse_values = type == tensor_type_oid() && tensor_typmod_is_sparse(typmod);

	if (storage->one_hot)
	{
		storage->element_type = ELEMENT_FLOAT8;
		return resolve_category(storage, relation, column->atttypid, problem);
	}
	if (rank == 0 && type != tensor_type_oid())
	{
		storage->element_type = type == FLOAT4OID ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8;
		if (casts_to(type, FLOAT8OID) || type == BOOLOID)
			return true;
		problem->detail = psprintf(
			"All labels of \"%s\" are keys, so a value is a number; type %s does not "
			"cast to double precision.",
			storage->tensor, format_type_be(column->atttypid));
		if (TypeCategory(type) == TYPCATEGORY_STRING || type_is_enum(type))
			problem->hint = psprintf(
				"A column of categories is a key, with the bound '*' and a row counting "
				"1, or a dimension: \"%s[..., k]\" with one_hot => true. Numbers that "
				"are "
				"kept as texts are converted by a view.",
				storage->tensor);
	}
	else if (!casts_to(type, tensor_type_oid()) ||
			 (rank > 0 && TypeCategory(type) == TYPCATEGORY_NUMERIC))
		problem->detail = psprintf("The value must be a tensor of rank %d; type %s %s.",
								   rank, format_type_be(column->atttypid),
								   TypeCategory(type) == TYPCATEGORY_NUMERIC
									   ? "is a number"
									   : "does not cast to tensor");
	else
	{
		problem->detail = declared_otherwise(storage, column, rank);
		if (problem->detail == NULL)
			return true;
	}
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	problem->message = psprintf(
		"column \"%s\" of relation \"%s\" cannot be the value of tensor \"%s\"",
		storage->value_column, RelationGetRelationName(relation), storage->tensor);
	if (problem->hint == NULL && rank == 1 &&
		(TypeCategory(type) == TYPCATEGORY_STRING || type_is_enum(type) ||
		 type == BOOLOID))
		problem->hint =
			psprintf("A column of categories has an index for each with one_hot => true. "
					 "Several columns of numbers are value => '{%s, ...}'; a view may "
					 "convert others.",
					 storage->value_column);
	if (problem->hint == NULL)
		problem->hint =
			rank > 0 && TypeCategory(type) == TYPCATEGORY_NUMERIC
				? psprintf(
					  "A label in lower case is a dimension inside of the value. Write "
					  "keys in upper case, or several columns as value => '{%s, ...}'.",
					  storage->value_column)
				: pstrdup(
					  "A view may convert it; after the type of a column has changed, "
					  "call einsum_register with replace => true.");
	return false;
}

/* Lists the key columns, for messages. */
static char *
key_columns(const Storage *storage)
{
	StringInfoData buf;
	int i;

	initStringInfo(&buf);
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, i))
			appendStringInfo(&buf, "%s%s", buf.len > 0 ? ", " : "",
							 quote_identifier(storage->dimensions[i].column));
	}
	return buf.data;
}

/* Returns a foreign table among the partitions or children of a table, or InvalidOid. */
static Oid
foreign_child(Relation relation)
{
	ListCell *cell;

	if (!relation->rd_rel->relhassubclass)
		return InvalidOid;
	foreach (cell, find_all_inheritors(RelationGetRelid(relation), NoLock, NULL))
	{
		if (lfirst_oid(cell) != RelationGetRelid(relation) &&
			get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

/*
 * Returns "ALTER TABLE t ALTER COLUMN a SET NOT NULL, ..." for the nullable columns of a
 * unique index; NULL if there are none.
 */
static char *
not_null_statement(const Storage *storage, Relation relation)
{
	StringInfoData buf;
	ListCell *cell;

	initStringInfo(&buf);
	foreach (cell, nullable_unique_columns(storage, relation))
		appendStringInfo(&buf, "%s ALTER COLUMN %s SET NOT NULL", buf.len ? "," : "",
						 quote_identifier(lfirst(cell)));
	return buf.len
			   ? psprintf("ALTER TABLE %s%s",
						  quote_identifier(RelationGetRelationName(relation)), buf.data)
			   : NULL;
}

/*
 * Returns the statement that makes keys unique: with a UNIQUE constraint if the table has
 * a primary key already.
 */
static char *
unique_statement(const Storage *storage, Relation relation)
{
	StringInfoData buf;
	Oid constraint;

	(void) get_primary_key_attnos(RelationGetRelid(relation), true, &constraint);
	initStringInfo(&buf);
	appendStringInfo(&buf, "ALTER TABLE %s",
					 quote_identifier(RelationGetRelationName(relation)));
	for (int i = 0; OidIsValid(constraint) && i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];

		if (dimension->kind != DIMENSION_DEMOTED && !is_layout_index(storage, i) &&
			!COLUMN_IS_NOT_NULL(RelationGetDescr(relation), dimension->attno - 1))
			appendStringInfo(&buf, " ALTER COLUMN %s SET NOT NULL,",
							 quote_identifier(dimension->column));
	}
	appendStringInfo(&buf, " ADD %s (%s)",
					 OidIsValid(constraint) ? "UNIQUE" : "PRIMARY KEY",
					 key_columns(storage));
	return buf.data;
}

/*
 * Fills *problem when nothing proves that keys are unique. The hint suggests first what
 * is right for any data, and last what nothing checks.
 */
static void
nothing_proves_keys(const Storage *storage, Relation relation, StorageProblem *problem)
{
	char kind = relation->rd_rel->relkind;
	bool inherited = kind == RELKIND_RELATION && has_unchecked_rows(relation);
	bool is_table = kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE;
	const char *keys = key_columns(storage);
	char *statement = is_table && !inherited && !has_ranges(storage)
						  ? not_null_statement(storage, relation)
						  : NULL;
	char *proof;

	problem->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
	problem->message = psprintf(
		"nothing proves that the keys of %s \"%s\" in relation \"%s\" are unique",
		is_dimension(storage) ? "dimension" : "tensor", storage->tensor,
		RelationGetRelationName(relation));
	if (has_ranges(storage) && is_table)
		problem->detail = psprintf(
			"There is no exclusion constraint on columns among (%s) by which "
			"ranges of rows with equal keys do not overlap%s.",
			keys, inherited ? "; with inheritance children there cannot be" : "");
	else if (statement)
		problem->detail =
			psprintf("A unique index on columns among (%s) lets NULL through: "
					 "not all of them are NOT NULL.",
					 keys);
	else if (is_table)
		problem->detail = psprintf(
			"There is no valid unique index on columns among (%s) that are all "
			"NOT NULL, and "
			"that is neither deferrable nor partial nor on expressions%s.",
			keys, inherited ? "; with inheritance children there cannot be" : "");
	else if (kind == RELKIND_MATVIEW)
		problem->detail = psprintf("There is no valid unique index on columns among (%s) "
								   "that is neither partial nor on expressions.",
								   keys);
	else
		problem->detail =
			pstrdup("Views and foreign tables have no constraints that could prove it.");
	proof =
		statement ? psprintf("%s.", statement)
		: is_table && !inherited
			? psprintf("%s.", has_ranges(storage) ? exclude_statement(storage, relation)
												  : unique_statement(storage, relation))
		: kind == RELKIND_MATVIEW
			? psprintf("CREATE UNIQUE INDEX ON %s (%s).",
					   quote_identifier(RelationGetRelationName(relation)), keys)
			: pstrdup("a materialized view of it, with a unique index.");
	problem->hint =
		is_dimension(storage)
			? psprintf(
				  "Where keys occur several times, the dimension is another table, which "
				  "has each of them once, as a SELECT DISTINCT does. Else, what proves "
				  "it: %s",
				  proof)
			: psprintf("With duplicates => 'sum' rows that have the same keys are added "
					   "up. If none have, what proves it: %s With duplicates => 'trust' "
					   "nothing is checked, and results are wrong where keys do occur "
					   "twice.",
					   proof);
}

static bool
resolve_uniqueness(Storage *storage, Relation relation, StorageProblem *problem)
{
	Oid foreign;

	storage->constraint = InvalidOid;
	storage->unique_index = InvalidOid;
	storage->unique_dimensions = 0;
	if (storage->duplicates != DUPLICATES_ERROR || storage_key_count(storage) == 0)
		return true;
	if (!layout_has_unique_entries(storage, relation, problem))
		return false;
	if (key_column_count(storage) == 0 || find_unique_proof(storage, relation))
	{
		/* the indices of a row's entries ascend */
		storage->unique_dimensions |= layout_dimensions(storage);
		return true;
	}

	foreign = foreign_child(relation);
	if (OidIsValid(foreign))
	{
		problem->sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
		problem->message = psprintf("the keys of tensor \"%s\" in relation \"%s\" cannot "
									"be checked to be unique",
									storage->tensor, RelationGetRelationName(relation));
		problem->detail = psprintf(
			"\"%s\", which is a part of it, is a foreign table: no constraint of "
			"this server holds for its rows.",
			get_rel_name(foreign));
		problem->hint =
			pstrdup("With duplicates => 'sum' rows that have the same keys are "
					"added up; or register a materialized view of it. With "
					"duplicates => 'trust' nothing is checked, and results "
					"are wrong where keys do occur twice.");
		return false;
	}
	nothing_proves_keys(storage, relation, problem);
	return false;
}

/* Returns why a table of Citus cannot be read, and sets a hint; NULL if it can. */
static const char *
why_not_gathered(const Storage *storage, const CitusTable *table, const char **hint)
{
	*hint = "Register a materialized view of it, or a local table with its rows; "
			"undistribute_table() makes a table of Citus local.";
	if (table->kind == CITUS_SHARD)
		return "It is a shard, which has some of the rows of a table.";
	if (table->kind == CITUS_OTHERWISE && storage->duplicates == DUPLICATES_ERROR)
	{
		*hint = "Distribute it by the hash of a column, or say duplicates => 'trust' or "
				"'sum'.";
		return "It is distributed by ranges or appended to, so that rows of two shards "
			   "may have the same keys.";
	}
	if (storage->query || storage->loop)
	{
		*hint = "undistribute_table() makes it local.";
		return "Programs and loops write their results into local tables only.";
	}
	if (table->relid != storage->relid && get_rel_relkind(storage->relid) != RELKIND_VIEW)
		return "A table that inherits from it is one of Citus.";
	return NULL;
}

/*
 * Finds the table of Citus that a storage reads. A program's own view gathers what it
 * reads itself.
 */
static bool
resolve_distribution(Storage *storage, StorageProblem *problem)
{
	const CitusTable *table = citus_table_read(storage->relid);
	const char *hint;
	const char *reason;

	storage->citus = NULL;
	if (table == NULL)
		return true;
	reason = why_not_gathered(storage, table, &hint);
	if (reason == NULL)
	{
		if (storage->program == NULL)
			storage->citus = table;
		return true;
	}
	problem->sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
	problem->message =
		psprintf("relation \"%s\" cannot hold tensor \"%s\" because it is distributed by "
				 "Citus",
				 get_rel_name(storage->relid), storage->tensor);
	problem->detail =
		table->relid == storage->relid
			? pstrdup(reason)
			: psprintf("It reads \"%s\". %s", get_rel_name(table->relid), reason);
	problem->hint = pstrdup(hint);
	return false;
}

bool
storage_resolve(Storage *storage, Relation relation, StorageProblem *problem)
{
	ListCell *cell;
	int i;

	memset(problem, 0, sizeof(StorageProblem));
	if (!resolve_distribution(storage, problem))
		return false;
	for (i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];
		int other;

		if (dimension->kind == DIMENSION_DEMOTED)
		{
			if (dimension->index_set &&
				!resolve_index_set(storage, dimension, relation, problem))
				return false;
			continue;
		}
		if (is_layout_index(storage, i))
			continue;
		if (!resolve_key(storage, dimension, relation, problem))
			return false;
		for (other = 0; other < i; other++)
		{
			if (storage->dimensions[other].kind == DIMENSION_DEMOTED ||
				storage->dimensions[other].attno != dimension->attno)
				continue;
			problem->sqlstate = ERRCODE_DUPLICATE_COLUMN;
			problem->message =
				psprintf("column \"%s\" is the key of two labels of tensor \"%s\"",
						 dimension->column, storage->tensor);
			problem->detail =
				psprintf("The labels are \"%s\" and \"%s\".",
						 storage->dimensions[other].label, dimension->label);
			problem->hint = pstrdup("A view may give the column a second name.");
			return false;
		}
	}
	if (storage->layout ? !resolve_layout(storage, relation, problem)
						: !resolve_value(storage, relation, problem))
		return false;
	if (!resolve_symmetry(storage, relation, problem))
		return false;
	if (!resolve_uniqueness(storage, relation, problem))
		return false;
	find_range_proofs(storage, relation);
	storage->is_view = relation->rd_rel->relkind == RELKIND_VIEW;
	storage->value_may_fail = false;
	foreach (cell, storage->is_view ? needed_value_columns(storage) : NIL)
	{
		Form_pg_attribute column = user_column(relation, lfirst(cell));

		storage->value_may_fail =
			storage->value_may_fail || view_column_may_fail(relation, column->attnum);
	}
	for (i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];

		dimension->may_fail = storage->is_view && !is_read_by_subquery(storage) &&
							  dimension->kind != DIMENSION_DEMOTED &&
							  view_column_may_fail(relation, dimension->attno);
	}
	return true;
}

Oid
relation_owner(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

bool
owns_relation(Oid relid)
{
	Oid owner = relation_owner(relid);

	return OidIsValid(owner) && has_privs_of_role(GetUserId(), owner);
}

/* Returns the view of that name in the same schema and of the same owner. */
static Oid
view_beside(const Storage *storage, const char *name)
{
	Oid view = InvalidOid;

	if (name != NULL)
		view = get_relname_relid(name, get_rel_namespace(storage->relid));
	if (!OidIsValid(view) || get_rel_relkind(view) != RELKIND_VIEW ||
		relation_owner(view) != relation_owner(storage->relid))
		return InvalidOid;
	return view;
}

Oid
storage_filling_view(const Storage *storage)
{
	return view_beside(storage, storage->query);
}

Oid
storage_now_view(const Storage *storage)
{
	return view_beside(storage, storage->now);
}

bool
is_numbered_key(const StorageDimension *dimension)
{
	return dimension->kind != DIMENSION_DEMOTED && bound_is_open(dimension->bound) &&
		   !is_integer_type(getBaseType(dimension->key_type));
}

bool
storage_is_live(const Storage *storage)
{
	return storage->ephemeral || (storage->is_view && storage->program);
}

/* Can a condition that is generated for a storage raise an error? */
static bool
conditions_may_fail(const Storage *storage)
{
	/*
	 * of a made value, it only tests whether columns are NULL; but a column may have to
	 * be computed
	 */
	if (storage->value_may_fail ||
		(storage_has_tensors(storage) && !has_made_value(storage)))
		return true;
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->kind != DIMENSION_DEMOTED &&
			(dimension->bound != BOUND_OPEN || dimension->may_fail))
			return true;
	}
	return false;
}

bool
storage_has_barrier(const Storage *storage)
{
	return storage->is_view && !is_read_by_subquery(storage) &&
		   !storage_is_live(storage) && conditions_may_fail(storage);
}

bool
has_array_values(const Storage *storage)
{
	return has_made_value(storage) ||
		   (OidIsValid(storage->value_type) &&
			OidIsValid(get_element_type(getBaseType(storage->value_type))));
}

/*
 * Appends "JOIN (numbers of the keys) ON ...", which gives d<i>.number for an open key.
 */
static void
append_key_numbers(StringInfo buf, const Storage *storage, int i)
{
	const StorageDimension *dimension = &storage->dimensions[i];
	const char *column = quote_identifier(dimension->column);
	TypeCacheEntry *type =
		lookup_type_cache(getBaseType(dimension->key_type), TYPECACHE_EQ_OPR);
	const char *base = format_type_be_qualified(getBaseType(dimension->key_type));
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(type->eq_opr));
	Form_pg_operator equal;

	/*
	 * the lock on the table does not keep others from dropping operators of its columns'
	 * types
	 */
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("there is no equality operator for type %s", base)));
	equal = (Form_pg_operator) GETSTRUCT(tuple);
	appendStringInfo(
		buf,
		" JOIN (SELECT u.key, pg_catalog.row_number() OVER () "
		"OPERATOR(pg_catalog.-) 1 AS number FROM (SELECT DISTINCT CAST(t.%s AS %s) AS "
		"key FROM %s AS t) u) d%d ON d%d.key OPERATOR(%s.%s) CAST(r.%s AS %s)",
		column, base, storage_relation_sql(storage), i, i,
		quote_identifier(get_namespace_name(equal->oprnamespace)),
		NameStr(equal->oprname), column, base);
	ReleaseSysCache(tuple);
}

char *
number_value(const Storage *storage, const char *column)
{
	if (storage->value_type == FLOAT8OID)
		return pstrdup(column);
	/* true is 1 */
	if (getBaseType(storage->value_type) == BOOLOID)
		return psprintf("CAST(CAST(%s AS pg_catalog.int4) AS pg_catalog.float8)", column);
	return psprintf("CAST(%s AS pg_catalog.float8)", column);
}

/* Returns a date as the number by which PostgreSQL stores it, infinite ones, too. */
static char *
days_sql(const char *date)
{
	const char *epoch = "'2000-01-01'::pg_catalog.date";

	return psprintf("(CASE WHEN pg_catalog.isfinite(%s) IS NOT FALSE THEN %s "
					"OPERATOR(pg_catalog.-) %s WHEN %s OPERATOR(pg_catalog.>) %s THEN %d "
					"ELSE %d END)",
					date, date, epoch, date, epoch, PG_INT32_MAX, PG_INT32_MIN);
}

/* Returns the first or last key of a range, which a column has, as bigint. */
static char *
range_end_sql(const StorageDimension *dimension, const char *column)
{
	char *key = psprintf("r.%s", column);

	return psprintf("%s::pg_catalog.int8",
					dimension->key_type == DATEOID ? days_sql(key) : key);
}

char *
storage_scan_sql(const Storage *storage, bool number_keys)
{
	StringInfoData buf;
	bool joins = false;
	int i;

	initStringInfo(&buf);
	appendStringInfoString(&buf, "SELECT ");
	for (i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		if (OidIsValid(dimension->range_type))
			appendStringInfo(
				&buf, "%s, ",
				range_end_sql(dimension, quote_identifier(dimension->column)));
		else if (number_keys && is_numbered_key(dimension))
		{
			joins = true;
			appendStringInfo(&buf, "d%d.number, ", i);
		}
		else
		{
			char *key = psprintf("r.%s", quote_identifier(dimension->column));

			if (dimension_has_days(dimension))
				key = days_sql(key);
			appendStringInfo(&buf, "%s%s, ", key,
							 is_numbered_key(dimension) ? "" : "::pg_catalog.int8");
		}
	}
	if (storage->value_column == NULL)
		appendStringInfoString(&buf, "1::pg_catalog.float8");
	else if (has_made_value(storage))
	{
		appendStringInfoString(&buf, "CASE WHEN true");
		append_row_conditions(&buf, storage, "r");
		appendStringInfoString(&buf, " THEN ");
		appendStringInfo(&buf, made_value(storage, NULL), "r");
		appendStringInfoString(&buf, " END");
	}
	else if (storage_has_tensors(storage))
		appendStringInfo(&buf, "r.%s::%s", quote_identifier(storage->value_column),
						 tensor_type_name());
	else
		appendStringInfo(
			&buf, "%s",
			number_value(storage,
						 psprintf("r.%s", quote_identifier(storage->value_column))));
	for (i = 0; i < storage->rank; i++)
	{
		if (OidIsValid(storage->dimensions[i].range_type))
			appendStringInfo(
				&buf, ", %s",
				range_end_sql(&storage->dimensions[i], first_key_column(storage, i)));
	}
	/* OFFSET 0 keeps joins above the conditions of a view, which may compute its keys */
	appendStringInfo(
		&buf, joins ? " FROM (SELECT * FROM %s AS s OFFSET 0) r" : " FROM %s r",
		has_ranges(storage) ? range_ends_sql(storage) : storage_relation_sql(storage));
	for (i = 0; joins && i < storage->rank; i++)
	{
		if (is_numbered_key(&storage->dimensions[i]) &&
			!OidIsValid(storage->dimensions[i].range_type))
			append_key_numbers(&buf, storage, i);
	}
	return buf.data;
}
