import { setFlagsFromString } from 'node:v8';

/**
 * Prevents V8 from allocating objects of requests in its old space, as it does for code whose objects survived a few collections. In
 * the old space they are freed late and keep newer objects alive, so that each collection copies more. See "The gate" in
 * docs/performance.md. A version of V8 without this flag prints a line and ignores the flag.
 */
export const configureV8 = (): void => setFlagsFromString('--no-allocation-site-pretenuring');
