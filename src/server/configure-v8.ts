import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from allocating objects of requests in its old space. V8 does so for code whose objects survived a few collections. There they
 * are freed late, and until then they keep newer objects alive, so that each collection copies more. See "The gate" in
 * docs/performance.md. A version of V8 without this flag prints a line and ignores it.
 */
export const configureV8 = (): void => setFlagsFromString('--no-allocation-site-pretenuring');
