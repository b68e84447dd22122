import { ParserThreadConfig } from '../../src/features/evidence/parsing/parser-thread.js';
import { sourceParserThreads } from './source-parser-threads.js';

/** The name of a file that a blocking thread reads forever. */
export const ENDLESS_FILE = 'endless.xml';

/** The parser threads of the service, which never end with a file of the name above. */
export function blockingParserThreads(): ParserThreadConfig {
  const { url, execArgv } = sourceParserThreads();
  const script = `
    import { parentPort } from 'node:worker_threads';
    const on = parentPort.on.bind(parentPort);
    parentPort.on = (type, listener) =>
      on(type, (request) => {
        while (request.files?.some(({ filename }) => filename === '${ENDLESS_FILE}'));
        listener(request);
      });
    await import(${JSON.stringify(url.href)});`;
  return new ParserThreadConfig(new URL(`data:text/javascript,${encodeURIComponent(script)}`), execArgv);
}
