import { createHash, randomInt } from 'node:crypto';

/** Crockford's base 32: no letter that is read as another or as a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 4;
const GROUP_LENGTH = 5;
/** What a reader may have written instead; https://www.crockford.com/base32.html */
const READ_AS: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };

/** A new code of 100 random bits, written as `XXXXX-XXXXX-XXXXX-XXXXX`. */
export const newSetupCode = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** The digest under which a code is kept, whatever its case, its dashes and its mistakable letters. */
export const setupCodeHash = (code: string): Buffer =>
  createHash('sha256')
    .update(
      code
        .toUpperCase()
        .replaceAll(/[\s-]/g, '')
        .replaceAll(/[OIL]/g, (letter) => READ_AS[letter] ?? letter),
    )
    .digest();
