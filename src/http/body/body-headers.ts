import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../errors/domain-error.js';
import type { BodyEncoding } from './bounded-bytes.js';

/** How a body was encoded for its way (RFC 9110, § 8.4). */
export function encodingOf(headers: IncomingHttpHeaders): BodyEncoding {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return encoding;
  // RFC 9110, § 8.4.1.3: x-gzip is the same.
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  throw new DomainError('unsupported_media_type', 'The body must be sent as it is or with Content-Encoding: gzip.', {
    headers: { 'Accept-Encoding': 'gzip' },
  });
}

/** JSON in UTF-8, which is the only encoding that it has (RFC 8259, § 8.1). */
export function refuseOtherThanJson(headers: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() !== 'application/json' || !isUtf8) {
    throw new DomainError('unsupported_media_type', 'The body must be of Content-Type: application/json.');
  }
}

/** RFC 2046, § 5.1.1, in quotes or as a token. */
const BOUNDARY = /^(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.!#$%&*^`|~-]{1,70}))$/;

/** What stands between the parts of a form (RFC 7578). */
export function boundaryOf(headers: IncomingHttpHeaders): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'multipart/form-data') {
    throw new DomainError('unsupported_media_type', 'The body must be of Content-Type: multipart/form-data.');
  }
  const boundaries = parameters.filter((parameter) => /^boundary=/i.test(parameter));
  const [, quoted, bare] = BOUNDARY.exec(boundaries[0]?.slice('boundary='.length) ?? '') ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined || boundaries.length > 1) {
    throw new DomainError('invalid', 'Content-Type must name the boundary between the parts of the body.');
  }
  return boundary;
}
