-- Which functions have a planner support function, and which over tensors or kernels' operands have none: whoever adds
-- a function decides it. Support functions are named in CREATE FUNCTION, whatever operators a schema has.
SET search_path = public, sparseeinsum_internal;
CREATE TEMP TABLE ours AS
SELECT p.*
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'sparseeinsum' AND p.prokind = 'f';

-- functions of one number, of every element of a tensor, are made of one table, and all with it
CREATE TEMP TABLE of_every_element AS
SELECT * FROM ours o
WHERE pronargs = 1 AND proargtypes[0] = 'tensor'::regtype AND obj_description(oid, 'pg_proc') LIKE 'element-wise: %';
SELECT prosupport::regproc AS support, count(*) > 10 AS functions FROM of_every_element GROUP BY 1;

-- with one: all aggregates' functions over tensors, whatever computes with elements
SELECT prosupport::regproc AS support, oid::regprocedure AS function FROM ours o
WHERE prosupport <> 0 AND NOT EXISTS (SELECT FROM of_every_element e WHERE e.oid = o.oid) ORDER BY prosupport::regproc::text COLLATE "C", oid::regprocedure::text COLLATE "C";

-- without, of those that take tensors, states or any operands: input and output, headers, conversions, comparisons, factorisations
SELECT oid::regprocedure AS without_support FROM ours
WHERE prosupport = 0
	AND ('{tensor,tensor_state,"\"any\""}'::regtype[]::oid[] && proargtypes::oid[])
ORDER BY oid::regprocedure::text COLLATE "C";

-- an aggregate over tensors has it in every function but those over numbers only
SELECT a.aggfnoid::regprocedure AS aggregate, f.oid::regprocedure AS without_support
FROM pg_aggregate a
JOIN ours f ON f.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn)
WHERE f.prosupport = 0
ORDER BY a.aggfnoid::regprocedure::text COLLATE "C", f.oid::regprocedure::text COLLATE "C";
