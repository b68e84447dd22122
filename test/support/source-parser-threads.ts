import { ParserThreadConfig } from '../../src/features/evidence/parsing/parser-thread.js';

/** The parser threads of the service from its sources, with the hooks that load TypeScript. */
export const sourceParserThreads = (): ParserThreadConfig =>
  new ParserThreadConfig(new URL('../../src/features/evidence/parsing/report-parsing.thread.ts', import.meta.url), [
    '--no-warnings',
    '--import',
    new URL('./typescript.mjs', import.meta.url).href,
  ]);
