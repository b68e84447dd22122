import type { EntryStep } from './entry.js';

/** Whose rows the statements behind it see, until the transaction ends: a setting that outlived it would show them to whoever is next. */
export const asTenant = (orgId: string): EntryStep => ({
  name: 'enter',
  text: `select where set_config('app.org_id', $1, true) is null`,
  values: [orgId],
});

/** Of these what one person may see. */
export const asPerson = (orgId: string, viewer: string): EntryStep => ({
  name: 'enter_as_viewer',
  text: `select where (set_config('app.org_id', $1, true) || set_config('app.viewer', $2, true)) is null`,
  values: [orgId, viewer],
});

/** The same, and may write nothing. */
export const asReader = (orgId: string, viewer: string): EntryStep => ({
  name: 'enter_read',
  text: `select where (set_config('app.org_id', $1, true) || set_config('app.viewer', $2, true)
    || set_config('transaction_read_only', 'on', true)) is null`,
  values: [orgId, viewer],
});
