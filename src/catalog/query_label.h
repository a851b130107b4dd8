/*-------------------------------------------------------------------------
 *
 * query_label.h
 *	  What a query of ours is for, said in the query.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_QUERY_LABEL_H
#define CATALOG_QUERY_LABEL_H

/*
 * Puts a comment before a query that names the function that runs it and what it
 * computes: pg_stat_statements and logs show neither the function's call nor its
 * constants.
 */
extern char *labelled_query(const char *function, const char *of, const char *query);

/* Does a query begin with such a comment? */
extern bool is_labelled_query(const char *query);

/* Returns the beginning of a text, in one line, for labels and comments. */
extern char *text_in_brief(const char *text);

/* Returns the beginning of a query, in one line, for the context of an error. */
extern char *query_in_brief(const char *query);

#endif
