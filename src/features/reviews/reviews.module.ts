import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { EvidenceModule } from '../evidence/evidence.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { QualityModule } from '../quality/quality.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { EvidenceDocumentsService } from './evidence-pulls/evidence-documents.service.js';
import { EvidencePullContentService } from './evidence-pulls/evidence-pull-content.service.js';
import { EvidencePullGitHubService } from './evidence-pulls/evidence-pull-github.service.js';
import { EvidencePullsService } from './evidence-pulls/evidence-pulls.service.js';
import { LiveReviewsService } from './live-reviews.service.js';
import { PendingReviewsQueries } from './pending-reviews.queries.js';
import { ReviewBriefQueries } from './review-brief.queries.js';
import { ReviewBriefService } from './review-brief.service.js';
import { ReviewRefreshService } from './review-refresh.service.js';
import { ReviewsController } from './reviews.controller.js';
import { ReviewsQueries } from './reviews.queries.js';
import { ReviewsService } from './reviews.service.js';
import { WaitingController } from './waiting.controller.js';

/**
 * The approval of a release is a review on a pull request that contains its evidence. This feature writes the pull
 * request and reads the reviews. Begin at `evidence-pulls/` for the first and at `reviews.service.ts` for the second.
 * `src/domain/review/` decides who may approve.
 */
@Module({
  imports: [
    AccountsModule,
    EventsModule,
    EvidenceModule,
    QualityModule,
    ReleasesModule,
    ReportStorageModule,
    SigningModule,
    WorkspacesModule,
  ],
  controllers: [ReviewsController, WaitingController],
  providers: [
    EvidenceDocumentsService,
    EvidencePullsService,
    EvidencePullGitHubService,
    EvidencePullContentService,
    LiveReviewsService,
    ReviewsService,
    PendingReviewsQueries,
    ReviewsQueries,
    ReviewBriefQueries,
    ReviewBriefService,
    ReviewRefreshService,
  ],
  exports: [ReviewBriefService, ReviewsService],
})
export class ReviewsModule {}
