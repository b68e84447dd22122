import type { Sha } from '../facts/facts.js';
import type { Condition } from '../release/stage.js';
import type { AdminActs, UsedOverride, Waiver } from './override.js';
import { isBreakable, unwaivable } from './override-reach.js';
import { isInForce, nextEdge, type Confirmed, type TwoPersonAct } from './two-person-act.js';

/**
 * The waivers and the break-glass of a release as one verdict makes use of them. It remembers which of them set what
 * aside: that is what the verdict rests on besides the facts.
 */
export class AppliedOverrides {
  private readonly usedById = new Map<string, UsedOverride>();

  constructor(
    private readonly acts: Pick<AdminActs, 'waivers' | 'breakGlasses'>,
    private readonly candidateShas: readonly Sha[],
    private readonly now: Date,
  ) {}

  /** The conditions that no waiver sets aside. */
  waive(conditions: readonly Condition[]): readonly Condition[] {
    return conditions.filter((condition) => {
      const waiver = this.inForce(this.acts.waivers).find((one) => this.covers(one, condition));
      if (waiver) this.use('waiver', waiver, condition);
      return waiver === undefined;
    });
  }

  /** Whether the glass is broken for the candidate, and that is enough against all of these. */
  breakGlass(conditions: readonly Condition[]): boolean {
    const act = this.inForce(this.acts.breakGlasses).find(({ sha }) => this.candidateShas.includes(sha));
    if (!act || !conditions.every(({ code }) => isBreakable(code))) return false;
    for (const condition of conditions) this.use('break_glass', act, condition);
    return true;
  }

  /** What was set aside so far, and by what. */
  used(): readonly UsedOverride[] {
    return [...this.usedById.values()];
  }

  /** The next moment at which one of them comes into force or ends, in milliseconds since the epoch. */
  nextEdge(): number {
    return nextEdge([...this.acts.waivers, ...this.acts.breakGlasses], this.now);
  }

  private covers({ condition: code, details, candidateSha }: Waiver, condition: Condition): boolean {
    return (
      code === condition.code &&
      unwaivable(code) === null &&
      details.includes(condition.detail) &&
      this.candidateShas.includes(candidateSha)
    );
  }

  private inForce<A extends TwoPersonAct>(acts: readonly A[]): readonly Confirmed<A>[] {
    return acts.filter((act) => isInForce(act, this.now));
  }

  private use(kind: UsedOverride['kind'], act: Confirmed<TwoPersonAct>, condition: Condition): void {
    const { id, reason, requestedBy, confirmedBy, expiresAt } = act;
    const conditions = [...(this.usedById.get(id)?.conditions ?? []), condition];
    this.usedById.set(id, { kind, id, reason, requestedBy, confirmedBy, expiresAt, conditions });
  }
}
