import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { EvidencedReleases } from './evidenced-releases.reader.js';
import { QualityChoicesReader } from './quality-choices.reader.js';
import { QualityController } from './quality.controller.js';
import { Quality } from './quality.service.js';
import { QualityReleases } from './quality-releases.reader.js';
import { ReleaseGroups } from './release-groups.service.js';

@Module({
  imports: [ReleasesModule],
  controllers: [QualityController],
  providers: [EvidencedReleases, JsonListStream, Quality, QualityChoicesReader, QualityReleases, ReleaseGroups],
  exports: [Quality, ReleaseGroups],
})
export class QualityModule {}
