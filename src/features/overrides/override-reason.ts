export const MAX_REASON_LENGTH = 500;

/** A reason is shown in one line, wherever the verdict is. */
export const REASON = /^(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
export const REASON_PROBLEM = 'reason must be a sentence in one line';
