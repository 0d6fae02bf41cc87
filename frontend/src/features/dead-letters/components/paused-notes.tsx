import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import { endpointsQuery, resumeEndpointMutation } from '../queries';

const context = { additionalTypenames: ['OutboundEndpoint'] };

/** Says which endpoints get nothing until somebody resumes them. */
export function PausedNotes() {
  const { t } = useTranslation('dead-letters');
  const [{ data }] = useQuery({ query: endpointsQuery, requestPolicy: 'cache-and-network', context });
  const [, resume] = useMutation(resumeEndpointMutation);
  const paused = data?.outboundEndpoints.filter(({ pausedAt }) => pausedAt !== null) ?? [];

  async function run(id: string, name: string) {
    const { error } = await resume({ id });
    if (error) toast.error(errorText(normalizeError(error)));
    else toast.success(t('endpoint.resumed', { name }));
  }

  return paused.map(({ id, name, pausedAt, failuresInRow }) => (
    <Note
      key={id}
      tone="warn"
      title={t('endpoint.pausedTitle', { name })}
      action={<Button onClick={() => void run(id, name)}>{t('endpoint.resume')}</Button>}
    >
      {t('endpoint.pausedText', { count: failuresInRow })}{' '}
      {pausedAt && <DateTime instant={pausedAt} />}
    </Note>
  ));
}
