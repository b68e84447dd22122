/** Release versions in milestone titles, and their order. */
import type { ReleaseNamingFormat } from './policy.js';

/** The maximum length of a version. It becomes part of branch names and paths. */
const MAX_LENGTH = 100;

/** `0`, or digits without a leading zero (semver.org 2.0.0, § 2). */
const NUMBER = '(?:0|[1-9][0-9]*)';
/** A number as above, or an identifier with at least one letter or hyphen (semver.org 2.0.0, § 9). */
const IDENTIFIER = '(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const PRERELEASE = `(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?`;
const SEMVER = `${NUMBER}\\.${NUMBER}\\.${NUMBER}${PRERELEASE}`;

const GRAMMARS: Readonly<Record<ReleaseNamingFormat, RegExp>> = {
  'semver-v-strict': new RegExp(`^v${SEMVER}$`),
  semver: new RegExp(`^${SEMVER}$`),
  calver: new RegExp(`^[1-9][0-9]{3}\\.(?:0?[1-9]|1[0-2])\\.${NUMBER}${PRERELEASE}$`),
};

/** A version of each format, for messages. */
export const EXAMPLE_VERSIONS: Readonly<Record<ReleaseNamingFormat, string>> = {
  'semver-v-strict': 'v1.4.0',
  semver: '1.4.0',
  calver: '2026.11.0',
};

/** Matches the parts of a version in any of the formats. */
const PARTS = /^v?([0-9]+)\.([0-9]+)\.([0-9]+)(?:-([0-9A-Za-z.-]+))?$/;

interface VersionParts {
  readonly core: readonly [string, string, string];
  readonly prerelease: readonly string[];
}

/**
 * Returns whether the title is a version under the format. `semver-v-strict` is `v` and a version of semver.org 2.0.0
 * without build metadata, because versions that differ only in build metadata have the same precedence. `semver` is the
 * same without `v`. `calver` is `YYYY.MM.PATCH` (calver.org) with a month of one or two digits and an optional
 * pre-release as in semver. A version that git rejects at the end of a branch name (`.lock`) is not valid.
 */
export const isReleaseVersion = (title: string, format: ReleaseNamingFormat): boolean =>
  title.length <= MAX_LENGTH && !title.endsWith('.lock') && GRAMMARS[format].test(title);

/**
 * Compares versions by precedence (semver.org 2.0.0, § 11), oldest first. Other texts come before all versions. Two
 * spellings of the same precedence are compared as text, so 0 means the same text.
 */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parseParts(left), parseParts(right)];
  if (a === null || b === null) return Number(a !== null) - Number(b !== null) || compareText(left, right);
  return (
    compareNumbers(a.core[0], b.core[0]) ||
    compareNumbers(a.core[1], b.core[1]) ||
    compareNumbers(a.core[2], b.core[2]) ||
    comparePrereleases(a.prerelease, b.prerelease) ||
    compareText(left, right)
  );
}

function parseParts(version: string): VersionParts | null {
  const match = version.length <= MAX_LENGTH ? PARTS.exec(version) : null;
  if (match === null) return null;
  const [, major = '', minor = '', patch = '', prerelease] = match;
  return { core: [major, minor, patch], prerelease: prerelease === undefined ? [] : prerelease.split('.') };
}

function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  // A version without a pre-release comes after those with one.
  if (left.length === 0 || right.length === 0) return Number(left.length === 0) - Number(right.length === 0);
  for (const [index, a] of left.entries()) {
    const b = right[index];
    if (b === undefined) return 1;
    const order = compareIdentifiers(a, b);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareIdentifiers(left: string, right: string): number {
  const [leftIsNumber, rightIsNumber] = [/^[0-9]+$/.test(left), /^[0-9]+$/.test(right)];
  if (leftIsNumber && rightIsNumber) return compareNumbers(left, right);
  return Number(rightIsNumber) - Number(leftIsNumber) || compareText(left, right);
}

/** Compares digits as text, because the numbers of a version may exceed the exact range of a double. */
function compareNumbers(left: string, right: string): number {
  const [a, b] = [left.replace(/^0+(?=[0-9])/, ''), right.replace(/^0+(?=[0-9])/, '')];
  return a.length - b.length || compareText(a, b);
}

const compareText = (left: string, right: string): number => Number(left > right) - Number(left < right);
