import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { showFieldErrors } from '@/form/server-errors';
import { useEventId } from '@/form/use-event-id';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { ANNOUNCEMENT_FIELDS, announcementInput, type AnnouncementValues } from './announcement-values';
import { createAnnouncementMutation } from './queries';

/** Makes the announcement and goes on to its page. */
export function useNewAnnouncement(setError: UseFormSetError<AnnouncementValues>) {
  const { t } = useTranslation('announcements');
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const [, execute] = useMutation(createAnnouncementMutation);
  const creationId = useEventId();
  const [failure, setFailure] = useState<AppError>();
  // A second press may come before the page is gone.
  const isMade = useRef(false);

  async function save(values: AnnouncementValues) {
    if (isMade.current) return;
    setFailure(undefined);
    const announcement = announcementInput(values, timeZone);
    const { data, error } = await execute({
      input: { announcement, creationId: creationId(announcement) },
    });
    if (data) {
      isMade.current = true;
      const { id, title } = data.createAnnouncement;
      toast.success(t('new.done', { title }));
      await navigate(routes.viewAnnouncement({ id }));
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, ANNOUNCEMENT_FIELDS, setError);
  }

  return { failure, save };
}
