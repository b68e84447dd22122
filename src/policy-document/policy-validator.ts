import { _ } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isCalendarDay } from '../domain/policy/freeze.js';
import { SDLC_V1_SCHEMA } from './sdlc.v1.schema.js';

/**
 * Validates a document by the schema. In the command line, `scripts/bundle.mjs` replaces this module with the compiled code, because a
 * CI job would otherwise compile the schema at each start. The bundle needs the source of the function and the names of its formats.
 */
export const validatePolicy: ValidateFunction = new Ajv2020({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  // The schema itself is validated in its tests, because that takes longer than compiling it.
  meta: false,
  validateSchema: false,
  code: { source: true, formats: _`policyFormats` },
})
  .addFormat('date', isCalendarDay)
  .compile(SDLC_V1_SCHEMA);
