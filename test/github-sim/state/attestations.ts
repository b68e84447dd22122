import type { Repository } from './repository.js';

/** A Sigstore bundle about a digest. */
export interface Attestation {
  readonly id: number;
  readonly digest: string;
  readonly predicateType: string;
  readonly bundle: unknown;
  /** Whether the list has no bundle but the address of its compressed bytes. */
  readonly isApart: boolean;
}

type AttestationSpec = Pick<Attestation, 'digest' | 'bundle'> & Partial<Attestation>;

/** The attestations of a repository. */
export class Attestations {
  /** Whether the bundles that are not in the list cannot be read. */
  isStorageDown = false;
  private readonly attestations: Attestation[] = [];

  constructor(private readonly repository: Repository) {}

  add(spec: AttestationSpec): void {
    const id = this.repository.state.nextId();
    this.attestations.push({ id, predicateType: 'https://slsa.dev/provenance/v1', isApart: false, ...spec });
  }

  /** Lists those about the digest. `type` is `provenance` or a whole predicate type. */
  list(digest: string, type: string | undefined): readonly Attestation[] {
    return this.attestations.filter(
      (one) =>
        one.digest === digest &&
        (type === undefined ||
          one.predicateType === type ||
          (type === 'provenance' && one.predicateType.startsWith('https://slsa.dev/provenance/'))),
    );
  }

  find(id: number): Attestation | null {
    return this.attestations.find((one) => one.id === id) ?? null;
  }
}
