export const MAX_NAME_LENGTH = 100;
export const MAX_DESCRIPTION_LENGTH = 2_000;

/** A name is shown in one line, and something of it can be seen. */
export const NAME = /^(?=.*[\p{L}\p{N}\p{P}\p{S}])[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
export const NAME_PROBLEM = 'name must be a text in one line';

/** A description may have lines. */
export const DESCRIPTION = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;
export const DESCRIPTION_PROBLEM = 'description must have no control characters but tabs and line breaks';
