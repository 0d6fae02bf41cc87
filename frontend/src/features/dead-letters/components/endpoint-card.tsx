import { KeyRound, Pencil, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import type { EndpointState } from '@/ui/statuses';
import { type Endpoint, type Source, testEndpointMutation } from '../queries';

interface EndpointCardProps {
  endpoint: Endpoint;
  sources: readonly Source[];
  onEdit: () => void;
  onRotate: () => void;
  onDelete: () => void;
}

function stateOf({ isActive, pausedAt }: Endpoint): EndpointState {
  if (!isActive) return 'off';
  return pausedAt === null ? 'active' : 'paused';
}

export function EndpointCard(props: EndpointCardProps) {
  const { endpoint, sources, onEdit, onRotate, onDelete } = props;
  const { id, name, url, methods, sourceIds, failuresInRow, secretRotatedAt } = endpoint;
  const { t } = useTranslation('dead-letters');
  const [, test] = useMutation(testEndpointMutation);
  const [isTesting, setTesting] = useState(false);
  const [result, setResult] = useState<{ ok: boolean; text: string }>();

  async function run() {
    if (isTesting) return;
    setTesting(true);
    setResult(undefined);
    const { data, error } = await test({ id });
    setTesting(false);
    const answer = data?.testOutboundEndpoint;
    if (!answer) setResult({ ok: false, text: errorText(normalizeError(error)) });
    else if (answer.error) setResult({ ok: false, text: answer.error });
    else setResult({ ok: true, text: t('test.done', { status: answer.status, ms: answer.ms }) });
  }

  const named = sources.filter((source) => sourceIds.includes(source.id)).map((source) => source.name);
  return (
    <Panel aria-labelledby={`endpoint-${id}`}>
      <PanelHead
        id={`endpoint-${id}`}
        title={name}
        note={<StatusChip kind="endpoint" status={stateOf(endpoint)} />}
        line
      />
      <div className="flex flex-col gap-3 p-4">
        <div className="flex flex-wrap gap-2">
          <Button icon={Send} aria-disabled={isTesting || undefined} onClick={() => void run()}>
            {t(isTesting ? 'test.running' : 'test.send')}
          </Button>
          <Button icon={KeyRound} onClick={onRotate}>
            {t('endpoint.rotate')}
          </Button>
          <Button icon={Pencil} onClick={onEdit}>
            {t('endpoint.edit')}
          </Button>
          <Button variant="danger" icon={Trash2} onClick={onDelete}>
            {t('endpoint.delete')}
          </Button>
        </div>
        {result && (
          <Note tone={result.ok ? 'ok' : 'bad'} role={result.ok ? 'status' : 'alert'}>
            {result.text}
          </Note>
        )}
        <Facts columns={4}>
          <Fact label={t('fields.url')} value={url} wide />
          <Fact
            label={t('fields.methods')}
            value={methods.map((method) => t(`methods.${method}`)).join(', ')}
            wide
          />
          <Fact label={t('fields.sources')} value={named.join(', ')} empty={t('endpoint.allSources')} />
          <Fact label={t('fields.failuresInRow')} value={failuresInRow} />
          <Fact label={t('fields.secretRotatedAt')} value={<DateTime instant={secretRotatedAt} />} />
        </Facts>
      </div>
    </Panel>
  );
}
