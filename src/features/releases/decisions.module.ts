import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { Decisions } from './decisions/decisions.service.js';
import { StoredDecisionsReader } from './records/stored-decisions.reader.js';
import { VisibleReleases } from './records/visible-releases.reader.js';

@Module({
  controllers: [DecisionsController],
  providers: [Decisions, JsonListStream, StoredDecisionsReader, VisibleReleases],
})
export class DecisionsModule {}
