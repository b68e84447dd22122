import { beforeAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { BuiltService } from '../../test/contract/built-service.js';

const SCRIPT = `
  import { readEnvironment } from './dist/src/config/read-environment.js';
  import { createLogger } from './dist/src/observability/logger.js';
  try {
    readEnvironment({ PORT: 'none' });
  } catch (err) {
    createLogger('info').error({ err }, 'failed');
  }`;

beforeAll(() => BuiltService.build());

it('names the sources in the stack of an error of the built service', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' });
  expect(stdout).toMatch(/\/src\/config\/read-environment\.ts:\d+:\d+/);
});
