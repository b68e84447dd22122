import { readServiceUrl } from './service-url.js';

/** A bucket for report files. */
export interface StorageLocation {
  readonly bucket: string;
  /** Without a slash at either end; empty for the bucket's root. */
  readonly prefix: string;
  /** Null for the provider's own. */
  readonly endpoint: string | null;
  readonly region: string | null;
}

/** The bucket of `s3://bucket/prefix?endpoint=…&region=…`. */
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

/** The address of an object below the location, in the form in which the location itself is given. */
export function locationWithin(
  { bucket, prefix, endpoint, region }: StorageLocation,
  ...path: readonly string[]
): string {
  const url = new URL(`s3://${bucket}/${[prefix, ...path].filter((part) => part !== '').join('/')}`);
  if (endpoint !== null) url.searchParams.set('endpoint', endpoint);
  if (region !== null) url.searchParams.set('region', region);
  return url.href;
}
