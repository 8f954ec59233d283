package collection

import (
	"context"

	"eventseer/eventseer"
	"eventseer/eventseer/wrapper"
	"eventseer/features/tagtree"
	"eventseer/features/tagtree/record"
)

// List takes account of a category page, and gives take the records that are new on its
// lists or changed, as weak evidence: what a record's own page says comes before it. A
// record of which no event is known has a title and a date. If take fails the record
// comes again, as it does after a crash.
func (r *Reader) List(ctx context.Context, t *tagtree.Tree, take func(eventseer.Event) error) error {
	return r.follow(t, nil, func(l *Lesson) error {
		if l.Kind != wrapper.CategoryPage {
			return nil
		}
		return r.list(ctx, l, t, take)
	})
}

func (r *Reader) list(ctx context.Context, l *Lesson, t *tagtree.Tree, take func(eventseer.Event) error) error {
	due := l.due()
	if len(due) == 0 {
		return nil
	}
	for _, region := range record.Find(t) {
		list, err := r.listing(ctx, t, region)
		if err != nil {
			return err
		}
		if list.Learn(); len(list.Meanings) == 0 {
			continue
		}
		for _, rec := range list.Records {
			row := due[rec.URL]
			if row == nil || row.Taken {
				continue
			}
			if e, ok := list.Event(rec); ok {
				if err := take(e); err != nil {
					return err
				}
			}
			row.Taken = true
		}
	}
	return nil
}

// due returns the rows of this category page that were not taken yet, by URL.
func (l *Lesson) due() map[string]*Row {
	due := map[string]*Row{}
	for _, table := range l.site.tables {
		if table.URL != l.tree.Page.URL {
			continue
		}
		for i := range table.Rows {
			if row := &table.Rows[i]; !row.Taken {
				due[row.URL] = row
			}
		}
	}
	return due
}

// listing looks up what is known of the records of a list.
func (r *Reader) listing(ctx context.Context, t *tagtree.Tree, region record.Region) (*wrapper.Listing, error) {
	list := &wrapper.Listing{Tree: t, Extractor: r.o.Extractor}
	for i, own := range ownPages(region.Records) {
		if own.URL == "" {
			continue
		}
		rec := wrapper.Listed{URL: own.URL, Values: []wrapper.Value{{Text: own.Anchor}}}
		fields := region.Records[i].Fields
		for _, f := range fields[:min(len(fields), wrapper.MaxRowFields)] {
			rec.Values = append(rec.Values, wrapper.Value{Text: f.Text, Node: f.Node})
		}
		var err error
		if rec.Known, err = r.known(ctx, own.URL); err != nil {
			return nil, err
		}
		list.Records = append(list.Records, rec)
	}
	return list, nil
}
