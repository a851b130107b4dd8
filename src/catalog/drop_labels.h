/*-------------------------------------------------------------------------
 *
 * drop_labels.h
 *	  Registrations go with the extension.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_DROP_LABELS_H
#define CATALOG_DROP_LABELS_H

/*
 * Installs the hook that removes all labels when the extension is dropped; called once.
 */
extern void drop_labels_init(void);

#endif
