import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { QueryFailure } from '@/data/query-failure';
import { CellLoading } from '@/data/query-state';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';
import { deleteEndpointMutation, type Endpoint, endpointsQuery, rotateSecretMutation } from '../queries';
import { EndpointCard } from './endpoint-card';
import { EndpointDialog } from './endpoint-dialog';
import { PausedNotes } from './paused-notes';
import { SecretDialog } from './secret-dialog';

const context = { additionalTypenames: ['OutboundEndpoint', 'DeadLetter'] };

type Open =
  | { what: 'form'; endpoint?: Endpoint }
  | { what: 'rotate' | 'delete'; endpoint: Endpoint }
  | { what: 'secret'; secret: string };

/** Where outcomes are sent, and what can be done with each place. */
export function Endpoints() {
  const { t } = useTranslation('dead-letters');
  const [{ data, error, fetching }, execute] = useQuery({
    query: endpointsQuery,
    requestPolicy: 'cache-and-network',
    context,
  });
  const [, rotate] = useMutation(rotateSecretMutation);
  const [, remove] = useMutation(deleteEndpointMutation);
  const [open, setOpen] = useState<Open>();
  const endpoints = data?.outboundEndpoints;
  const close = () => setOpen(undefined);
  const create = (
    <Button variant="primary" icon={Plus} onClick={() => setOpen({ what: 'form' })}>
      {t('endpoint.create')}
    </Button>
  );

  async function rotateOf({ id, version }: Endpoint) {
    const answer = await rotate({ id, version }, context);
    if (answer.error) return errorText(normalizeError(answer.error));
    const secret = answer.data?.rotateOutboundSecret.secret;
    // After the question has closed itself.
    if (secret) queueMicrotask(() => setOpen({ what: 'secret', secret }));
    return undefined;
  }

  async function removeOf({ id, version, name }: Endpoint) {
    const answer = await remove({ id, version }, context);
    if (answer.error) return errorText(normalizeError(answer.error));
    toast.success(t('endpoint.deleted', { name }));
    return undefined;
  }

  return (
    <div className="flex flex-col gap-4">
      <PausedNotes />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted">{t('endpoint.intro')}</p>
        {endpoints && endpoints.length > 0 && create}
      </div>
      {!endpoints && !error && <CellLoading />}
      {!endpoints && error && (
        <Panel>
          <QueryFailure
            error={normalizeError(error)}
            isRetrying={fetching}
            onRetry={() => execute({ requestPolicy: 'network-only' })}
          />
        </Panel>
      )}
      {endpoints?.length === 0 && (
        <Panel>
          <StateView
            kind="empty"
            title={t('endpoint.empty.title')}
            text={t('endpoint.empty.text')}
            actions={create}
          />
        </Panel>
      )}
      {endpoints?.map((endpoint) => (
        <EndpointCard
          key={endpoint.id}
          endpoint={endpoint}
          sources={data?.sources ?? []}
          onEdit={() => setOpen({ what: 'form', endpoint })}
          onRotate={() => setOpen({ what: 'rotate', endpoint })}
          onDelete={() => setOpen({ what: 'delete', endpoint })}
        />
      ))}
      {open?.what === 'form' && (
        <EndpointDialog
          endpoint={open.endpoint}
          sources={data?.sources ?? []}
          onSaved={(secret) => setOpen(secret ? { what: 'secret', secret } : undefined)}
          onClose={close}
        />
      )}
      {open?.what === 'secret' && <SecretDialog secret={open.secret} onClose={close} />}
      {open?.what === 'rotate' && (
        <ConfirmDialog
          title={t('endpoint.rotateQuestion', { name: open.endpoint.name })}
          text={t('endpoint.rotateText')}
          confirm={t('endpoint.rotate')}
          busy={t('endpoint.rotating')}
          onConfirm={() => rotateOf(open.endpoint)}
          onClose={close}
        />
      )}
      {open?.what === 'delete' && (
        <ConfirmDialog
          danger
          title={t('endpoint.deleteQuestion', { name: open.endpoint.name })}
          text={t('endpoint.deleteText')}
          confirm={t('endpoint.delete')}
          busy={t('endpoint.deleting')}
          onConfirm={() => removeOf(open.endpoint)}
          onClose={close}
        />
      )}
    </div>
  );
}
