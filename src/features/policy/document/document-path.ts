/** Where a value stands in the document, as ajv writes it: a JSON pointer (RFC 6901). */
import { excerpt } from './excerpt.js';

export const ROOT = '';

export const pointerTo = (parent: string, step: string | number): string =>
  `${parent}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The pointer of what holds the value; of the root, the root. */
export const parentOf = (pointer: string): string => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));

/** The steps of a pointer, from the root. */
const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The place as people write it: `stages.testing.required_checks[0].name`. */
export const readableKey = (pointer: string): string =>
  stepsOf(pointer)
    .map((step) => (/^[0-9]{1,4}$/.test(step) ? `[${step}]` : `.${excerpt(step)}`))
    .join('')
    .replace(/^\./, '');
