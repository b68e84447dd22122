import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import type { EvidenceKind } from '../../domain/evidence/evidence.js';
import type { OrgId } from '../ids.js';

// The data for scorecards and test comparisons.

/** A kind of evidence that a release has for an environment; searches filter by it. */
@Entity('evidence_facet')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Index('evidence_facet_by_environment', { synchronize: false })
@Index('evidence_facet_by_kind', { synchronize: false })
export class EvidenceFacet {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('uuid') releaseId: string;
  @PrimaryColumn({ type: 'text', collation: 'C' }) kind: EvidenceKind;
  @PrimaryColumn({ type: 'text', collation: 'C' }) environment: string;
}

/** The names and outcomes of a part of one report's tests, compressed. */
@Entity('test_results')
@ForeignKey('Organization', ['orgId'], ['orgId'])
export class TestResults {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('text') sha256: string;
  @PrimaryColumn('integer') part: number;
  @Column('integer') testCount: number;
  @Column('boolean') complete: boolean;
  @Column('bytea') entries: Buffer;
  @Column('bytea') names: Buffer;
}

/** How the tests of a release compare with those of its predecessor. */
@Entity('test_comparison')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class TestComparison {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') releaseId: string;
  @Column('uuid') repositoryId: string;
  @Column('text', { name: 'basis' }) inputKey: string;
  @Column('jsonb') result: JsonObject;
  @Column('timestamptz') comparedAt: Date;
}
