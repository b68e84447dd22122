/** The separators between the words of a status. */
const SEPARATORS = /[\s_-]+/g;
const FAILED_STATUS =
  /^(?:fail(?:ed|ure)?|error(?:ed)?|(?:hook|cleanup)error|exception|fatal|panic(?:ked)?|crash(?:ed)?|broken|unexpected|incomplete|time(?:d?)out|abort(?:ed)?|cancell?ed|interrupted|killed|stopped|undefined|ambiguous|unsuccessful|not(?:ok|passed|successful)|ko)$/i;

/** Returns a status without the separators between its words. */
export const withoutSeparators = (status: string): string => status.replace(SEPARATORS, '');

/** Returns whether a tool means a failure by this status. */
export const isFailedStatus = (status: string): boolean => FAILED_STATUS.test(withoutSeparators(status));
