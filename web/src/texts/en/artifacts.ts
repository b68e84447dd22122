import type { Schema } from '../../api/client.js';

/** Texts of the artifacts of a release. */
export const text = {
  title: 'Artifacts',
  failed: 'The artifacts could not be loaded.',
  caption: 'Artifacts of the release, the newest first',
  columns: { artifact: 'Artifact', state: 'State', binding: 'Bound by', builder: 'Built by', stated: 'Stated' },
  accepted: 'Accepted',
  notAccepted: 'Not accepted',
  bindings: {
    provenance: 'Provenance',
    run: 'Stated by the run',
    pending: 'Being verified',
    none: 'Nothing',
  } satisfies Record<Schema<'Artifact'>['binding'], string>,
  copyDigest: (name: string) => `Copy the digest of ${name}`,
  invalid: 'Provenance is not valid:',
  run: 'Open the run',
  missing: (names: string) => `Required and not stated yet: ${names}.`,
} as const;
