/*-------------------------------------------------------------------------
 *
 * drop_labels.h
 *	  Registrations go with the extension.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_DROP_LABELS_H
#define CATALOG_DROP_LABELS_H

/* Sees to it that labels go with the extension; called once. */
extern void drop_labels_init(void);

#endif
