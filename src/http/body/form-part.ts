import { DomainError } from '../errors/domain-error.js';
import type { Blocks } from './byte-blocks.js';
import { unstorable } from './storable-text.js';

/** One part of a form (RFC 7578), whatever it holds. */
export interface FormPart {
  readonly name: string;
  /** Null where the part is not of a file. */
  readonly filename: string | null;
  readonly blocks: Blocks;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_SHOWN = 100;

/** `; name="value"` or `; name=value`; a quote within a quoted value stands behind a backslash. */
const PARAMETER = /\s*;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

/** What the header of a part says of it; refuses one that could be read in two ways. */
export function readPartHeader(header: Readonly<Record<string, readonly string[]>>): Omit<FormPart, 'blocks'> {
  const [disposition, ...others] = header['content-disposition'] ?? [];
  if (disposition === undefined || others.length > 0) throw malformed('has no Content-Disposition of its own');
  // RFC 7578, § 4.7: nothing has to be encoded on this way, and what is would be kept as it came.
  const encodings = header['content-transfer-encoding'] ?? [];
  if (encodings.some((encoding) => !/^(?:7bit|8bit|binary)$/i.test(encoding.trim()))) {
    throw malformed('is encoded, where it must be sent as it is');
  }
  const parameters = parametersOf(utf8(Buffer.from(disposition, 'latin1'), 'The header of a part'));
  const name = parameters.get('name');
  if (name === undefined || name === '') throw malformed('has no name');
  return { name, filename: parameters.get('filename') ?? null };
}

/** The text of a part that is not of a file. */
export function textOf({ name, blocks }: FormPart): string {
  const text = utf8(Buffer.concat(blocks), printable(name));
  const fault = unstorable(text);
  if (fault !== null) throw new DomainError('invalid', `${printable(name)} contains ${fault}.`);
  return text;
}

/** The name of a part as a sentence can hold it. */
export const printable = (name: string): string =>
  unstorable(name) === null && !/\p{Cc}/u.test(name) ? name.slice(0, MAX_SHOWN) : 'A part of the body';

function parametersOf(disposition: string): ReadonlyMap<string, string> {
  const [type = ''] = disposition.split(';', 1);
  if (type.trim().toLowerCase() !== 'form-data') throw malformed('is no form-data');
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = type.length;
  for (let at = type.length; disposition.slice(at).trim() !== ''; at = PARAMETER.lastIndex) {
    const [, key = '', quoted, bare = ''] = PARAMETER.exec(disposition) ?? [];
    if (key === '' || parameters.has(key.toLowerCase())) throw malformed('has a Content-Disposition that is malformed');
    // Older browsers sent whole paths, whose backslashes stand for themselves.
    parameters.set(key.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare);
  }
  return parameters;
}

function utf8(bytes: Uint8Array, what: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new DomainError('invalid', `${what} is not valid UTF-8.`, { cause });
  }
}

const malformed = (what: string): DomainError => new DomainError('invalid', `A part of the body ${what}.`);
