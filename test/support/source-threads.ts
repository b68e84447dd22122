import { ThreadSource } from '../../src/features/evidence/thread-source.js';

/** The threads of the service from its sources, which Node has to be told how to load. */
export const sourceThreads = (): ThreadSource =>
  new ThreadSource(new URL('../../src/features/evidence/report-reading.thread.ts', import.meta.url), [
    '--no-warnings',
    '--import',
    new URL('./typescript.mjs', import.meta.url).href,
  ]);
