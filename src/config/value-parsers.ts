import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const UNIT_BYTES = { '': 1, KB: 1_024, MB: 1_048_576, GB: 1_073_741_824 } as const;

/** Parses a size such as `1048576`, `256KB` or `25 MB` to bytes. A kilobyte has 1,024 bytes. */
export function readByteSize(text: string): number {
  const [, count, unit] = /^(\d{1,12}) ?(KB|MB|GB|)$/i.exec(text) ?? [];
  const bytes = Number(count) * UNIT_BYTES[unit?.toUpperCase() as keyof typeof UNIT_BYTES];
  if (!(bytes >= 1 && bytes <= UNIT_BYTES.GB)) throw new Error('must be a size from 1 byte to 1GB, such as 25MB');
  return bytes;
}

/** Parses a quota such as `50GB` to bytes. Returns null for `off`. */
export function readQuota(text: string): number | null {
  if (text.toLowerCase() === 'off') return null;
  const [, count, unit] = /^(\d{1,15}) ?(KB|MB|GB|)$/i.exec(text) ?? [];
  const bytes = Number(count) * UNIT_BYTES[unit?.toUpperCase() as keyof typeof UNIT_BYTES];
  if (!(bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER)) throw new Error('must be a size such as 50GB, or off');
  return bytes;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
const MAX_MS = 24 * UNIT_MS.h;

/** Parses a duration such as `30s`, `15m` or `1h` to milliseconds: at least a second, at most a day. */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(ms >= UNIT_MS.s && ms <= MAX_MS)) throw new Error('must be a duration from 1s to 24h, such as 30s, 15m or 1h');
  return ms;
}

/** Parses the delay of a shutdown to milliseconds: `0s`, or a duration of at most ten minutes. */
export function readShutdownDelay(text: string): number {
  const ms = /^0s?$/.test(text) ? 0 : readDuration(text);
  if (ms > 10 * UNIT_MS.m) throw new Error('must be a duration from 0s to 10m, such as 5s');
  return ms;
}

/** Returns a parser of a number of days, at least `minimum`, such as `365d`. It returns null for `0`, which means for ever. */
export const readDays =
  (minimum: number) =>
  (text: string): number | null => {
    if (text === '0') return null;
    const [, count] = /^(\d{1,5})d$/.exec(text) ?? [];
    if (!(Number(count) >= minimum))
      throw new Error(`must be a number of days from ${minimum}d, such as 365d, or 0 to delete nothing`);
    return Number(count);
  };

/** Parses an address or a CIDR, for example `10.0.0.0/8` or `::1`. */
export function readNetwork(text: string): string {
  const [address = '', prefix] = text.split('/');
  // Node's check too, because the library also accepts short, octal and hexadecimal forms of IPv4.
  if (isIP(address) === 0 || !(prefix === undefined ? ipaddr.isValid(text) : ipaddr.isValidCIDR(text))) {
    throw new Error(`has "${text}", which is neither an address nor a CIDR`);
  }
  if (Number(prefix) === 0)
    throw new Error(`has "${text}", which is the whole internet: set only the networks that you mean`);
  return text;
}

/**
 * Parses the address of a service that gets secrets, without a trailing slash. Plain http is accepted only on loopback, because on
 * a network others could read a token or forge an answer.
 */
export function readServiceUrl(text: string): string {
  const url = readHttpUrl(text);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new Error('must be an https URL; http is accepted on loopback addresses only');
  }
  return withoutSlash(url);
}

/** Parses the address of a service that gets no secrets, without a trailing slash. Plain http is accepted. */
export const readHttpBaseUrl = (text: string): string => withoutSlash(readHttpUrl(text));

/** Parses the public URL of this service. It has no path, because the service serves the root of a host. */
export function readPublicUrl(text: string): string {
  const url = readHttpUrl(text);
  if (url.pathname !== '/') throw new Error('must not have a path');
  return url.origin;
}

function readHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw new Error('must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw new Error('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '') throw new Error('must not have a query or fragment');
  return url;
}

/** Whether the address is a loopback address. */
export const isLoopbackUrl = (url: string): boolean => isLoopback(new URL(url).hostname);

function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || (isIP(bare) !== 0 && ipaddr.process(bare).range() === 'loopback');
}

const withoutSlash = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`;

export interface EncryptionKey {
  readonly kid: string;
  /** 32 bytes, for AES-256. */
  readonly key: Buffer;
}

const KEY_BYTES = 32;

/** Parses keys such as `kid:base64,…`: the first encrypts, all decrypt. No error contains a part of a key. */
export function readEncryptionKeys(text: string): readonly [EncryptionKey, ...EncryptionKey[]] {
  const [first, ...others] = text
    .split(/[\s,]+/)
    .filter((pair) => pair !== '')
    .map(readPair);
  if (!first) throw new Error('must contain at least one kid:base64 pair');
  const kids = new Set([first, ...others].map(({ kid }) => kid));
  if (kids.size !== others.length + 1) throw new Error('gives one key id twice');
  return [first, ...others];
}

function readPair(pair: string, index: number): EncryptionKey {
  const [, kid, encoded] = /^([\w-]{1,32}):([\w+/-]+={0,2})$/.exec(pair) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  if (!kid || key.length !== KEY_BYTES) {
    throw new Error(`must contain kid:base64 pairs of ${KEY_BYTES} bytes each; number ${index + 1} is invalid`);
  }
  return { kid, key };
}

/** A repository with the actions of Shipgate, at one commit. */
export interface CiAction {
  /** `owner/name`, on the same GitHub as the workflows. */
  readonly repository: string;
  /** The full id of the commit, because a tag could be moved to other code. */
  readonly commit: string;
  /** The version at this commit, for readers. */
  readonly version: string;
}

/** Parses `owner/repository@<commit>#v1.2.0`. Its parts become text of a workflow, so they have few characters. */
export function readCiAction(text: string): CiAction {
  const [, repository, commit, version] =
    /^([A-Za-z\d][\w.-]*\/[\w.-]+)@([0-9a-f]{40})#(v\d+\.\d+\.\d+)$/.exec(text) ?? [];
  if (repository === undefined || commit === undefined || version === undefined) {
    throw new Error('must be of the form owner/repository@<40 hexadecimal digits>#v1.2.0, in quotes in a .env file');
  }
  return { repository, commit, version };
}

/** A bucket for report files. */
export interface StorageLocation {
  readonly bucket: string;
  /** Without a leading or trailing slash; empty for the bucket's root. */
  readonly prefix: string;
  /** Null for the default endpoint of the provider. */
  readonly endpoint: string | null;
  readonly region: string | null;
}

/** Parses `s3://bucket/prefix?endpoint=…&region=…`. */
export function readStorageLocation(text: string): StorageLocation {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || !/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(url.hostname)) {
    throw new Error('must be of the form s3://bucket/prefix?endpoint=…&region=…');
  }
  const strange = [...url.searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region');
  if (strange !== undefined) throw new Error(`has an unknown parameter "${strange}"`);
  const endpoint = url.searchParams.get('endpoint');
  return {
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
    endpoint: endpoint === null ? null : readServiceUrl(endpoint),
    region: url.searchParams.get('region'),
  };
}

/** Returns the address of an object below the location, in the format of the location. */
export function objectUrl({ bucket, prefix, endpoint, region }: StorageLocation, ...path: readonly string[]): string {
  const url = new URL(`s3://${bucket}/${[prefix, ...path].filter((part) => part !== '').join('/')}`);
  if (endpoint !== null) url.searchParams.set('endpoint', endpoint);
  if (region !== null) url.searchParams.set('region', region);
  return url.href;
}
