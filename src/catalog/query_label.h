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
 * A query after a comment of the function that runs it and what it computes:
 * pg_stat_statements and logs show neither the call nor the constants.
 */
extern char *labelled_query(const char *function, const char *of, const char *query);

/* Has a query such a comment? */
extern bool is_labelled_query(const char *query);

/* The beginning of a text, in one line: for labels and comments. */
extern char *text_in_brief(const char *text);

/* A query in brief, for the context of an error. */
extern char *query_in_brief(const char *query);

#endif
