import { Module } from '@nestjs/common';
import { SessionModule } from '../../auth/session/session.module.js';
import { EventsController } from './event-stream.controller.js';
import { EventStreams } from './event-streams.service.js';
import { EventsReader } from './events.queries.js';
import { EventNotices } from './notification-listener.js';

@Module({
  imports: [SessionModule],
  controllers: [EventsController],
  providers: [EventNotices, EventStreams, EventsReader],
})
export class EventStreamModule {}
