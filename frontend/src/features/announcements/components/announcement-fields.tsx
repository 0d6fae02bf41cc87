import { type FieldError, type UseFormReturn, useController, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SEVERITIES, severityLooks } from '@/announcements/severities';
import { useTimeZone } from '@/data/use-time-zone';
import { CheckboxField } from '@/form/checkbox-field';
import { dateTimeRules } from '@/form/date-text';
import { DateTimeField } from '@/form/date-time-field';
import { RadioField } from '@/form/radio-field';
import { TextField } from '@/form/text-field';
import { TextareaField } from '@/form/textarea-field';
import {
  type AnnouncementValues,
  lengthOf,
  MESSAGE_LENGTH,
  oneParagraph,
  TITLE_LENGTH,
} from '../announcement-values';
import { AudienceField } from './audience-field';

/** The labels of the fields in their order on screen. */
export function useAnnouncementLabels() {
  const { t } = useTranslation('announcements');
  return {
    title: t('fields.title'),
    message: t('fields.message'),
    severity: t('fields.severity'),
    audience: t('fields.audience'),
    audienceRoles: t('fields.audienceRoles'),
    audienceUsers: t('fields.audienceUsers'),
    startsAt: t('fields.startsAt'),
    endsAt: t('fields.endsAt'),
    isActive: t('fields.isActive'),
    dismissible: t('fields.dismissible'),
  };
}

/** What can be said of an announcement, new or not. */
export function AnnouncementFields({ form }: { form: UseFormReturn<AnnouncementValues> }) {
  const { t } = useTranslation(['announcements', 'common']);
  const labels = useAnnouncementLabels();
  const timeZone = useTimeZone();
  const { control, register, formState } = form;
  const { errors } = formState;
  const length = lengthOf(oneParagraph(useWatch({ control, name: 'message' })));
  // In the order on screen: of several that are wrong, the form focuses the one it met first.
  const title = register('title', {
    required: true,
    validate: {
      required: (text) => text.trim() !== '',
      maxLength: (text) => lengthOf(text.trim()) <= TITLE_LENGTH,
    },
  });
  const message = register('message', {
    required: true,
    validate: {
      required: (text) => oneParagraph(text) !== '',
      maxLength: (text) => lengthOf(oneParagraph(text)) <= MESSAGE_LENGTH,
    },
  });
  const { field: startsAt } = useController({
    control,
    name: 'startsAt',
    rules: { ...dateTimeRules(), deps: ['endsAt'] },
  });
  const endRules = dateTimeRules({ optional: true });
  const { field: endsAt } = useController({
    control,
    name: 'endsAt',
    rules: {
      validate: {
        date: endRules.validate,
        // As the clock shows them, so that they compare as text.
        after: (text, values) => text === '' || text > values.startsAt || t('endsAfter'),
      },
    },
  });
  return (
    <>
      <TextField {...title} autoComplete="off" label={labels.title} error={errors.title} />
      <TextareaField
        {...message}
        label={labels.message}
        hint={t('messageHint', { length, most: MESSAGE_LENGTH })}
        error={errors.message}
      />
      <RadioField
        {...register('severity')}
        label={labels.severity}
        error={errors.severity}
        options={SEVERITIES.map((severity) => ({
          value: severity,
          label: t(`severity.${severity}`, { ns: 'common' }),
          icon: severityLooks[severity].icon,
        }))}
      />
      <AudienceField form={form} labels={labels} />
      <DateTimeField
        {...startsAt}
        label={labels.startsAt}
        hint={t('timesIn', { timeZone })}
        error={errors.startsAt as FieldError | undefined}
      />
      <DateTimeField
        {...endsAt}
        optional
        label={labels.endsAt}
        hint={t('endsHint')}
        error={errors.endsAt as FieldError | undefined}
      />
      <CheckboxField
        {...register('isActive')}
        isSwitch
        label={labels.isActive}
        hint={t('activeHint')}
        error={errors.isActive}
      />
      <CheckboxField
        {...register('dismissible')}
        isSwitch
        label={labels.dismissible}
        hint={t('dismissibleHint')}
        error={errors.dismissible}
      />
    </>
  );
}
