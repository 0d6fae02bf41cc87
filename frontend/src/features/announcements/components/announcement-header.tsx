import type { ReactNode } from 'react';
import { StatusChip } from '@/ui/status-chip';
import type { Announcement } from '../queries';
import { announcementState } from '../state';

interface AnnouncementHeaderProps {
  announcement: Announcement;
  title: ReactNode;
  children?: ReactNode;
}

export function AnnouncementHeader({ announcement, title, children }: AnnouncementHeaderProps) {
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <h2 className="text-xl font-semibold wrap-anywhere">{title}</h2>
      <StatusChip kind="announcement" status={announcementState(announcement)} size={24} />
      {children}
    </div>
  );
}
