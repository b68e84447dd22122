import type { Sha } from '../facts/facts.js';
import type { Condition } from '../facts/condition.js';
import { type AllowedOverride, CONDITION_CODES, type ConditionCode, getTraits } from '../facts/condition-catalogue.js';
import {
  type ReleaseOverrides,
  type ConfirmedOverride,
  isActive,
  nextBoundary,
  type OverrideRequest,
  type AppliedOverride,
  type Waiver,
} from './override.js';

/** Returns why a condition cannot be waived. Null if it can. */
export function validateWaivable(code: ConditionCode): string | null {
  const { override } = getTraits(code);
  return override.by === 'waiver' ? null : override.why;
}

/** Returns whether break-glass covers the condition. */
export const allowsBreakGlass = (code: ConditionCode): boolean => getTraits(code).override.by !== 'none';

/** The part of a release and its verdict that decides whether the release allows overrides. */
interface OverridableRelease {
  readonly isShipped: boolean;
  readonly cancelled: boolean;
  readonly candidateSha: Sha | null;
}

/**
 * Returns the override that admins can request for a condition of the release. A shipped or cancelled release, and a release
 * without a candidate, allows no override.
 */
export const findAllowedOverride = (
  code: ConditionCode,
  { isShipped, cancelled, candidateSha }: OverridableRelease,
): AllowedOverride => (isShipped || cancelled || candidateSha === null ? 'none' : getTraits(code).override.by);

/** The codes that can be waived. */
export const WAIVABLE_CODES = CONDITION_CODES.filter((code) => validateWaivable(code) === null);

/**
 * Applies the overrides of a release to one verdict. It records which override covered which condition, because the
 * verdict depends on these overrides as it does on facts.
 */
export class AppliedOverrides {
  private readonly usedById = new Map<string, AppliedOverride & { readonly conditions: Condition[] }>();
  private readonly waivedCounts = new Map<Waiver, ReadonlyMap<string, number>>();

  constructor(
    private readonly overrides: Pick<ReleaseOverrides, 'waivers' | 'breakGlasses'>,
    private readonly candidateShas: readonly Sha[],
    private readonly now: Date,
  ) {}

  /**
   * Returns the conditions that no waiver covers. A condition is covered if two admins have agreed to each of its subjects, in one
   * waiver or in several.
   */
  waive(conditions: readonly Condition[]): readonly Condition[] {
    if (this.overrides.waivers.length === 0) return conditions;
    return conditions.filter((condition) => {
      const waivers = this.findWaivers(condition);
      for (const waiver of waivers ?? []) this.use('waiver', waiver, condition);
      return waivers === null;
    });
  }

  /** Returns whether break-glass is active for the candidate and covers all of these conditions. */
  breakGlass(conditions: readonly Condition[]): boolean {
    const override = this.listActive(this.overrides.breakGlasses).find(({ sha }) => this.candidateShas.includes(sha));
    if (!override || !conditions.every(({ code }) => allowsBreakGlass(code))) return false;
    for (const condition of conditions) this.use('break_glass', override, condition);
    return true;
  }

  /** Returns the overrides that were used so far, with their conditions. */
  list(): readonly AppliedOverride[] {
    return [...this.usedById.values()];
  }

  /** Returns the next start or end of an override, in milliseconds since the epoch. Infinity if there is none. */
  nextBoundaryTime(): number {
    return nextBoundary([...this.overrides.waivers, ...this.overrides.breakGlasses], this.now);
  }

  /** Returns the waivers that together cover all subjects of the condition. Null if a subject is not covered. */
  private findWaivers({ code, subjects = [] }: Condition): ReadonlySet<ConfirmedOverride<Waiver>> | null {
    if (subjects.length === 0 || validateWaivable(code) !== null) return null;
    const waivers = this.listActive(this.overrides.waivers).filter(
      ({ condition, candidateSha }) => condition === code && this.candidateShas.includes(candidateSha),
    );
    const used = new Set<ConfirmedOverride<Waiver>>();
    for (const subject of subjects) {
      const waiver = waivers.find((one) => this.countWaived(one, subject.id) >= (subject.count ?? 1));
      if (!waiver) return null;
      used.add(waiver);
    }
    return used;
  }

  private listActive<A extends OverrideRequest>(overrides: readonly A[]): readonly ConfirmedOverride<A>[] {
    return overrides.filter((override) => isActive(override, this.now));
  }

  private use(kind: AppliedOverride['kind'], override: ConfirmedOverride<OverrideRequest>, condition: Condition): void {
    const { id, reason, requestedBy, confirmedBy, expiresAt } = override;
    const used = this.usedById.get(id) ?? { kind, id, reason, requestedBy, confirmedBy, expiresAt, conditions: [] };
    this.usedById.set(id, used);
    used.conditions.push(condition);
  }

  /** Returns how many equal things with this id the waiver covers. Zero if it does not have the subject. */
  private countWaived(waiver: Waiver, id: string): number {
    const counts =
      this.waivedCounts.get(waiver) ?? new Map(waiver.subjects.map(({ id: of, count = 1 }) => [of, count]));
    this.waivedCounts.set(waiver, counts);
    return counts.get(id) ?? 0;
  }
}
