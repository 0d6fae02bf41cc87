import { useTranslation } from 'react-i18next';
import type { AnnouncementRow } from '../queries';

interface AudienceProps {
  announcement: Pick<AnnouncementRow, 'audienceRoles' | 'audienceUsers'>;
}

/** Beyond so many, names only say how many they are. */
const NAMES = 3;

/** Whom it concerns, in words: everybody, or the roles and then the people. */
export function Audience({ announcement: { audienceRoles, audienceUsers } }: AudienceProps) {
  const { t } = useTranslation('announcements');
  if (audienceRoles.length + audienceUsers.length === 0) return t('audience.everybody');
  const people =
    audienceUsers.length > NAMES
      ? [t('audience.people', { count: audienceUsers.length })]
      : audienceUsers;
  return [...audienceRoles, ...people].join(', ');
}
