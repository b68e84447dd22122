import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { EventsModule } from '../../events/events.module.js';
import { OutgoingModule } from '../../outgoing/outgoing.module.js';
import { builtInRoots, readTrustedRoots, type TrustRoot } from '../../provenance/trusted-root.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EvidenceModule } from '../evidence/evidence.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ArtifactListService } from './artifact-list.service.js';
import { ArtifactStatementsMetrics } from './artifact-statements.metrics.js';
import { ArtifactStatementsService } from './artifact-statements.service.js';
import { ArtifactVerificationJobs } from './artifact-verification.jobs.js';
import { ArtifactsController } from './artifacts.controller.js';
import { ArtifactsMetrics } from './artifacts.metrics.js';
import { ArtifactsRepository } from './artifacts.repository.js';
import { BundleVerificationService, TRUST_ROOTS } from './bundle-verification.service.js';
import { FoundBundlesService } from './found-bundles.service.js';

/** Throws if one of the roots of `TRUSTED_ROOTS` is not usable, so that the service does not start without it. */
const readRoots = ({ trustedRoots }: Environment): readonly TrustRoot[] => [
  ...builtInRoots(),
  ...(trustedRoots === null ? [] : readTrustedRoots(trustedRoots)),
];

/**
 * CI states the digests of its builds, with provenance. A job verifies the bundles, and the policy of a release can require them. Begin at
 * `artifact-statements.service.ts`; the rules are in `src/domain/artifact/`.
 */
@Module({
  imports: [
    AuditModule,
    EventsModule,
    EvidenceModule,
    OutgoingModule,
    ReleasesModule,
    ReportStorageModule,
    WorkspacesModule,
  ],
  controllers: [ArtifactsController],
  providers: [
    ArtifactListService,
    ArtifactStatementsMetrics,
    ArtifactStatementsService,
    ArtifactVerificationJobs,
    ArtifactsMetrics,
    ArtifactsRepository,
    BundleVerificationService,
    FoundBundlesService,
    { provide: TRUST_ROOTS, useFactory: readRoots, inject: [ENVIRONMENT] },
  ],
  exports: [ArtifactListService],
})
export class ArtifactsModule {}
