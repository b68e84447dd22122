/** Finds the release that a CI run builds, by the naming and the branch patterns of the policy. */
import type { Sha } from '../facts/facts.js';
import type { FactReader } from '../facts/tracked-facts.js';
import { lastSegment } from '../policy/branch-pattern.js';
import type { Policy } from '../policy/policy.js';
import { compareVersions, isReleaseVersion } from '../policy/release-version.js';
import { isReleaseBranch, releaseBranches } from './candidate.js';

/** The prefix of the branches that the service creates. They contain evidence and no release. */
const SERVICE_BRANCHES = 'shipgate/';
const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';
const MAX_CANDIDATES = 50;

/** The ref and the commit that a CI run builds. */
export interface BuiltRef {
  /** `refs/heads/…`, `refs/tags/…`, or a name without prefix, which can belong to a branch or a tag. */
  readonly ref: string;
  readonly sha: Sha | null;
}

/** A release that is neither shipped nor cancelled. */
export interface OpenRelease {
  readonly version: string;
  readonly candidateShas: readonly Sha[];
}

/** The stored data of the repository that the resolution needs. */
export interface ResolutionInputs {
  readonly policy: Policy;
  readonly developmentBranch: string;
  /** Whether the repository has a release of the version that the ref names. A shipped or cancelled release counts. */
  readonly hasNamedRelease: boolean;
  readonly openReleases: readonly OpenRelease[];
  readonly facts: FactReader;
}

/** The release of a CI run. `because` is a sentence for users. It contains only the ref and versions. */
export type Resolution =
  | { readonly version: string; readonly because: string }
  | {
      readonly version: null;
      readonly because: string;
      /** The versions of the releases that the run may build, newest first, at most 50. */
      readonly candidates: readonly string[];
    };

/** Returns the version in the name of a tag or of a release branch. Null if the ref names none. */
export function versionInRef(ref: string, policy: Policy): string | null {
  const { branch, tag } = parseRef(ref);
  if (tag !== null && isReleaseVersion(tag, policy.releaseNaming)) return tag;
  if (branch === null || branch.startsWith(SERVICE_BRANCHES)) return null;
  const version = lastSegment(branch);
  return isReleaseVersion(version, policy.releaseNaming) && isReleaseBranch(branch, version, policy) ? version : null;
}

/**
 * A tag or a release branch names its version. A run of the development branch builds the only open release without a release branch.
 * If there are several, it builds the only one whose candidate is the commit. If the branches were never read, all open releases
 * count as releases without a release branch.
 */
export function resolveRelease({ ref, sha }: BuiltRef, inputs: ResolutionInputs): Resolution {
  const { policy, developmentBranch, hasNamedRelease } = inputs;
  const version = versionInRef(ref, policy);
  if (version !== null) {
    return hasNamedRelease
      ? { version, because: `"${ref}" names the version.` }
      : unresolved(`"${ref}" names the version ${version}, but the repository has no release of it.`);
  }
  if (parseRef(ref).branch !== developmentBranch) {
    return unresolved(`"${ref}" is neither a version, nor a release branch, nor the development branch.`);
  }
  const releases = onDevelopmentBranch(inputs);
  const [release, another] = releases;
  if (!release) return unresolved(`"${ref}" is the development branch, and no open release is built from it.`);
  if (!another) {
    return {
      version: release.version,
      because: `"${ref}" is the development branch, and one open release is built from it.`,
    };
  }
  const [candidate, ...others] = releases.filter(({ candidateShas }) => sha !== null && candidateShas.includes(sha));
  if (candidate && others.length === 0) {
    return {
      version: candidate.version,
      because: 'Of the open releases, only this one has the commit as its candidate.',
    };
  }
  return unresolved(
    `"${ref}" is the development branch, and several open releases are built from it. Name the version.`,
    releases,
  );
}

const parseRef = (ref: string): { readonly branch: string | null; readonly tag: string | null } => {
  if (ref.startsWith(BRANCHES)) return { branch: ref.slice(BRANCHES.length), tag: null };
  if (ref.startsWith(TAGS)) return { branch: null, tag: ref.slice(TAGS.length) };
  return ref.startsWith('refs/') ? { branch: null, tag: null } : { branch: ref, tag: ref };
};

const onDevelopmentBranch = ({ openReleases, policy, facts }: ResolutionInputs): readonly OpenRelease[] =>
  openReleases
    .filter(({ version }) => (releaseBranches(version, policy, facts) ?? []).length === 0)
    .toSorted((one, other) => compareVersions(other.version, one.version));

const unresolved = (because: string, releases: readonly OpenRelease[] = []): Resolution => ({
  version: null,
  because,
  candidates: releases.slice(0, MAX_CANDIDATES).map(({ version }) => version),
});
