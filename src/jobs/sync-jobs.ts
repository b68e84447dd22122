import type { JobOptions } from './job.js';

/** Asking twice while it waits is asking once. Of two at once the older list of repositories might be written down last. */
export const installationJob = (installationId: number): JobOptions => ({
  key: `installation:${installationId}`,
  queue: { kind: 'installation', of: String(installationId) },
});

/** Kept apart from the whole reading, which it must not take the place of; but never at the same time as that. */
export const changesJob = (installationId: number): JobOptions => ({
  ...installationJob(installationId),
  key: `installation-changes:${installationId}`,
});

/** The repositories of an installation are read one after the other: they share its budget of calls. */
export const repositoryJob = (installationId: number, repositoryId: string): JobOptions => ({
  key: `sync:${repositoryId}`,
  queue: { kind: 'sync', of: String(installationId) },
});
