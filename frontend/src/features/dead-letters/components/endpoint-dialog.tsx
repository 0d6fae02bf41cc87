import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useState } from 'react';
import { type AppError, normalizeError } from '@/data/errors';
import { CheckboxField } from '@/form/checkbox-field';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { ruleMessages } from '@/form/rule-message';
import { showFieldErrors } from '@/form/server-errors';
import { SubmitButton } from '@/form/submit-button';
import { TextField } from '@/form/text-field';
import { Button } from '@/ui/button';
import { CheckboxCard, CheckboxCardGroup } from '@/ui/checkbox-card';
import { Dialog, DialogContent } from '@/ui/dialog';
import { toast } from '@/ui/toast';
import { SENT_METHODS } from '../methods';
import { type Endpoint, saveEndpointMutation, type Source } from '../queries';

interface EndpointDialogProps {
  endpoint: Endpoint | undefined;
  sources: readonly Source[];
  /** Given the secret of a new one. */
  onSaved: (secret: string | null | undefined) => void;
  onClose: () => void;
}

interface Values {
  name: string;
  url: string;
  methods: string[];
  sourceIds: string[];
  isActive: boolean;
}

const FIELDS = ['name', 'url', 'methods', 'sourceIds', 'isActive'] as const;
const NAME_LENGTH = 100;
const URL_LENGTH = 500;
const context = { additionalTypenames: ['OutboundEndpoint'] };

/** Where messages go, and which ones: a new endpoint, or one that is changed. */
export function EndpointDialog({ endpoint, sources, onSaved, onClose }: EndpointDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const [, execute] = useMutation(saveEndpointMutation);
  const [failure, setFailure] = useState<AppError>();
  const form = useForm<Values>({
    defaultValues: {
      name: endpoint?.name ?? '',
      url: endpoint?.url ?? '',
      methods: endpoint ? [...endpoint.methods] : [...SENT_METHODS],
      sourceIds: endpoint ? [...endpoint.sourceIds] : [],
      isActive: endpoint?.isActive ?? true,
    },
  });
  const { register, setError, setFocus, formState } = form;
  const { errors, isSubmitting } = formState;
  const labels = {
    name: t('fields.name'),
    url: t('fields.url'),
    methods: t('fields.methods'),
    sourceIds: t('fields.sources'),
    isActive: t('fields.isActive'),
  };

  async function save(values: Values) {
    setFailure(undefined);
    const own = endpoint && { id: endpoint.id, version: endpoint.version };
    const { data, error } = await execute({ input: { ...own, ...values } }, context);
    if (data) {
      toast.success(t('endpoint.saved', { name: data.saveOutboundEndpoint.name }));
      onSaved(data.saveOutboundEndpoint.secret);
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, FIELDS, setError);
  }

  return (
    <Dialog open onOpenChange={() => !isSubmitting && onClose()}>
      <DialogContent
        title={endpoint ? t('endpoint.editTitle', { name: endpoint.name }) : t('endpoint.create')}
        width={640}
        staysOpen
      >
        <Form form={form} onSubmit={save} className="flex flex-col gap-4 pb-4">
          <FormSummary failure={failure} messages={ruleMessages(labels, errors)} setFocus={setFocus} />
          <TextField
            {...register('name', { required: true, maxLength: NAME_LENGTH })}
            autoComplete="off"
            label={labels.name}
            error={errors.name}
          />
          <TextField
            {...register('url', { required: true, maxLength: URL_LENGTH })}
            autoComplete="off"
            inputMode="url"
            label={labels.url}
            hint={t('endpoint.urlHint')}
            error={errors.url}
          />
          <CheckboxCardGroup
            legend={labels.methods}
            error={errors.methods && (errors.methods.message || t('endpoint.chooseMethod'))}
          >
            {SENT_METHODS.map((method) => (
              <CheckboxCard
                key={method}
                {...register('methods', { validate: (chosen) => chosen.length > 0 })}
                value={method}
                label={t(`methods.${method}`)}
                text={t(`methodTexts.${method}`)}
              />
            ))}
          </CheckboxCardGroup>
          {sources.length > 0 && (
            <CheckboxCardGroup legend={labels.sourceIds} hint={t('endpoint.sourcesHint')}>
              {sources.map(({ id, name }) => (
                <CheckboxCard key={id} {...register('sourceIds')} value={id} label={name} text="" />
              ))}
            </CheckboxCardGroup>
          )}
          <CheckboxField
            {...register('isActive')}
            isSwitch
            label={labels.isActive}
            hint={t('endpoint.activeHint')}
          />
          <div className="flex justify-end gap-2">
            <Button size={36} onClick={onClose}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <SubmitButton
              busy={isSubmitting}
              size={36}
              label={endpoint ? t('save', { ns: 'common' }) : t('endpoint.create')}
              busyLabel={t('endpoint.saving')}
            />
          </div>
        </Form>
      </DialogContent>
    </Dialog>
  );
}
