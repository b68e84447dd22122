import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { EvidenceModule } from '../evidence/evidence.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { EvidenceFiles } from './evidence-pulls/evidence-documents.service.js';
import { EvidencePullWorkReader } from './evidence-pulls/evidence-pull-content.service.js';
import { EvidencePullHost } from './evidence-pulls/evidence-pull-github.service.js';
import { EvidencePullAnnouncement, EvidencePulls } from './evidence-pulls/evidence-pulls.service.js';
import { PublishedEvidence } from './evidence-pulls/published-evidence.repository.js';
import { LiveReviews } from './live-reviews.service.js';
import { PendingReviewsReader } from './pending-reviews.queries.js';
import { ReviewRefresh } from './review-refresh.service.js';
import { ReviewsController } from './reviews.controller.js';
import { ReviewJobs } from './reviews.jobs.js';
import { ReviewFactsReader, ReviewedReleases } from './reviews.queries.js';
import { PendingReviews, ReleaseReviews } from './reviews.service.js';

@Module({
  imports: [
    AccountsModule,
    EventsModule,
    EvidenceModule,
    ReleasesModule,
    ReportStorageModule,
    SigningModule,
    WorkspacesModule,
  ],
  controllers: [ReviewsController],
  providers: [
    EvidenceFiles,
    EvidencePullAnnouncement,
    EvidencePullHost,
    EvidencePullWorkReader,
    EvidencePulls,
    LiveReviews,
    PendingReviews,
    PendingReviewsReader,
    PublishedEvidence,
    ReleaseReviews,
    ReviewFactsReader,
    ReviewJobs,
    ReviewRefresh,
    ReviewedReleases,
  ],
  exports: [PendingReviews],
})
export class ReviewsModule {}
