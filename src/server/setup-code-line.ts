import type { Logger } from 'pino';

const SENTENCE = 'no GitHub App is set up yet: run "npm run setup", or send this code to POST /api/config/setup';

/** Shows the set-up code on the console, which is the one place where it is shown, however little is logged there. */
export function showSetupCode(setupCode: string, log: Logger): void {
  if (log.isLevelEnabled('warn')) log.warn({ setupCode }, SENTENCE);
  else process.stdout.write(`${JSON.stringify({ msg: SENTENCE, setupCode })}\n`);
}
