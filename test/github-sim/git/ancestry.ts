import type { Sha } from './git-object.js';
import type { ObjectStore } from './object-store.js';

/** The relations between commits through their parents. */
export class Ancestry {
  constructor(private readonly store: ObjectStore) {}

  /** The commit and all its ancestors, newest commit date first, but a child always before its parents. */
  history(from: Sha): readonly Sha[] {
    const reachable = this.reachable(from);
    const childrenLeft = new Map<Sha, number>();
    for (const sha of reachable) {
      for (const parent of this.store.commit(sha).parents) {
        childrenLeft.set(parent, (childrenLeft.get(parent) ?? 0) + 1);
      }
    }
    const ready = [from];
    const ordered: Sha[] = [];
    for (let sha = ready.shift(); sha !== undefined; sha = ready.shift()) {
      ordered.push(sha);
      for (const parent of this.store.commit(sha).parents) {
        const left = (childrenLeft.get(parent) ?? 0) - 1;
        childrenLeft.set(parent, left);
        if (left === 0) ready.push(parent);
      }
      ready.sort((a, b) => this.committedAt(b) - this.committedAt(a));
    }
    return ordered;
  }

  isAncestor(ancestor: Sha, descendant: Sha): boolean {
    return this.reachable(descendant).has(ancestor);
  }

  /** Commits of `head` that `base` lacks, newest first. */
  commitsBetween(base: Sha, head: Sha): readonly Sha[] {
    const known = this.reachable(base);
    return this.history(head).filter((sha) => !known.has(sha));
  }

  /** The best common ancestors: those that are not the ancestor of another common ancestor, newest first. */
  mergeBases(one: Sha, other: Sha): readonly Sha[] {
    const reachable = this.reachable(other);
    const common = this.history(one).filter((sha) => reachable.has(sha));
    return common.filter((sha) => !common.some((later) => later !== sha && this.isAncestor(sha, later)));
  }

  private reachable(from: Sha): ReadonlySet<Sha> {
    const seen = new Set<Sha>();
    const pending = [from];
    for (let sha = pending.pop(); sha !== undefined; sha = pending.pop()) {
      if (seen.has(sha)) continue;
      seen.add(sha);
      pending.push(...this.store.commit(sha).parents);
    }
    return seen;
  }

  private committedAt(sha: Sha): number {
    return this.store.commit(sha).committer.date.getTime();
  }
}
