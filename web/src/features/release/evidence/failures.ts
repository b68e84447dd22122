/** The hash of a link to the report with the entries of a failed result. */
export const FAILURES = 'failures';
