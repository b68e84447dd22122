// `node --import ./test/support/typescript.mjs`: runs our sources without a build.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
