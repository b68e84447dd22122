// Runs Jest with the set of tests of config/jest.config.js that `--set` names. Without it, with the tests of `npm test`.
import { createRequire } from 'node:module';

const NEED_BUILD = new Set(['long', 'browser', 'faults', 'operate']);

const option = process.argv.indexOf('--set');
if (option !== -1) [, process.env.TEST_SET] = process.argv.splice(option, 2);
if (NEED_BUILD.has(process.env.TEST_SET)) await import('./ensure-built.mjs');
process.argv.splice(2, 0, '--config', 'config/jest.config.js');
createRequire(import.meta.url)('jest/bin/jest');
