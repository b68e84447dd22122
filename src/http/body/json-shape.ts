import { DomainError } from '../errors/domain-error.js';

const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * How many members the objects of a JSON text write down, all together; refuses a text nested deeper than 64, and one of
 * more than `maxValues` values. It runs before the parser does, which would spend 40 times the text's size on a body of nothing but brackets.
 * Only a text that the parser takes afterwards makes the count mean something.
 */
export function countMembers(text: string, maxValues: number): number {
  let depth = 0;
  let members = 0;
  // A list or an object has one value more than commas, so this is never less than the values within.
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) {
          throw new DomainError(
            'too_large',
            `The body is nested deeper than ${MAX_DEPTH} levels at character ${at + 1}.`,
          );
        }
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COLON:
        members += 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
    }
    if (values > maxValues) throw new DomainError('too_large', `The body has more than ${maxValues} values.`);
  }
  return members;
}

/** The place of the quote that ends the string which begins at `start`; the text's end where none does. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
