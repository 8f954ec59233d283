package judges

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/registry"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/models"
)

// A ListedModel is a line that the command model list prints.
type ListedModel struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"` // used, shadow, or "" for neither
	classify.Meta
}

// listTable prints models.
var listTable = app.Table[ListedModel]{Head: "name\ttask\talgorithm\texamples\tclasses\tfigure\tstate", Line: func(m ListedModel) string {
	figure := MainFigure(m.Meta)
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s %.3f\t%s", m.Name, m.Task, m.Algo, m.Examples(), len(m.Classes), figure.Name, figure.Value, m.State)
}}

// MainFigure returns the figure a model of its kind is compared by.
func MainFigure(m classify.Meta) classify.Figure {
	for _, f := range m.Figures {
		if f.Name == "f1" || f.Name == "macro_f1" {
			return f
		}
	}
	return classify.Figure{Name: "not measured"}
}

// ListModels prints the shipped models, then those of the data directory.
func ListModels(a *app.App) error {
	files, err := fs.Glob(models.Files(), "*.model")
	if err != nil {
		return err
	}
	r := OpenRegistry(a)
	versions, err := r.Versions()
	if err != nil {
		return err
	}
	shadow, hasShadow, err := r.ShadowVersion()
	if err != nil {
		return err
	}
	used := map[string]registry.Version{}
	for _, task := range ModelTasks() {
		if used[task], err = r.InUse(task); err != nil {
			return err
		}
	}
	var list []ListedModel
	for _, file := range files {
		m, err := ShippedMeta(file)
		if err != nil {
			return err
		}
		row := ListedModel{Name: strings.TrimSuffix(path.Base(file), ".model"), Meta: m}
		if used[m.Task].Digest == "" {
			row.State = "used"
		}
		list = append(list, row)
	}
	for _, v := range versions {
		row := ListedModel{Name: v.Name(), State: "missing"}
		if m, err := OpenMeta(r.Path(v)); err == nil {
			row.Meta, row.State = m, ""
		} else {
			a.Logf("%s: %v", v.Name(), err)
		}
		if used[v.Task] == v {
			row.State = strings.TrimSpace("used " + row.State)
		}
		if hasShadow && v == shadow {
			row.State = strings.TrimSpace("shadow " + row.State)
		}
		list = append(list, row)
	}
	for _, task := range ModelTasks() {
		if v := used[task]; v.Number == 0 && v.Digest != "" {
			m, err := OpenMeta(v.From)
			if err != nil {
				a.Logf("%s: %v", v.From, err)
			}
			list = append(list, ListedModel{Name: v.From, State: "used", Meta: m})
		}
	}
	return listTable.Print(a, list)
}

// StoreModel returns the version of a NAME or FILE: a stored version, a shipped model, or a file, which is
// stored.
func StoreModel(a *app.App, name string) (registry.Version, error) {
	r := OpenRegistry(a)
	if task, number, ok := registry.ParseName(name); ok && number > 0 {
		return r.Find(name)
	} else if ok {
		name = task
	}
	data, err := os.ReadFile(name)
	if isPossiblyShipped(name, err) && slices.Contains(ModelTasks(), name) {
		return registry.Version{Task: name}, nil
	}
	if err != nil {
		return registry.Version{}, fmt.Errorf("%w; name a model file, a version such as cfp@2, or a shipped model: see `eventseer model list`", err)
	}
	return r.Add(data, name)
}

// Describe names a version for people.
func Describe(v registry.Version) string {
	if v.Number == 0 {
		return "the shipped " + v.Task
	}
	return v.Name()
}

// PutInUse puts the model of a NAME or FILE in use.
func PutInUse(a *app.App, name string) error {
	v, err := StoreModel(a, name)
	if err != nil {
		return err
	}
	before, err := OpenRegistry(a).PutInUse(v)
	if err != nil {
		return err
	}
	return printModelInUse(a, before, v)
}

// printModelInUse says which model is in use now.
func printModelInUse(a *app.App, before, now registry.Version) error {
	if before.Number == now.Number {
		return a.Printf("%s is in use already\n", Describe(now))
	}
	more := "a service uses it within seconds, a crawl from its next start or turn"
	if now.Task == pairTask {
		more = "commands that start from now on use it"
	}
	return a.Printf("%s is in use instead of %s; %s\n", Describe(now), Describe(before), more)
}

// RollBackModel puts the model that a task used before in use again.
func RollBackModel(a *app.App, task string) error {
	if !slices.Contains(ModelTasks(), task) {
		return app.Usagef("%q is not a task of which models are put in use; those are %s", task, strings.Join(ModelTasks(), ", "))
	}
	from, to, err := OpenRegistry(a).Rollback(task)
	if err != nil {
		return err
	}
	return printModelInUse(a, from, to)
}

// SetShadowModel makes the model of a NAME or FILE the shadow model, or ends it if the name is off.
func SetShadowModel(a *app.App, name string) error {
	r := OpenRegistry(a)
	if name == "off" {
		if err := r.SetShadow(""); err != nil {
			return err
		}
		return a.Printf("no shadow model judges any more; its record stays\n")
	}
	v, err := StoreModel(a, name)
	if err != nil {
		return err
	}
	if v.Number == 0 {
		return app.Usagef("%s is a shipped model; name a model file or a version of the data directory", name)
	}
	data, err := r.Read(v)
	if err != nil {
		return err
	}
	m, err := readPageModel(v.Task, data)
	if err == nil {
		_, err = classify.NewShadow(m, a.Now, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v.Name(), err)
	}
	if err := r.SetShadow(v.Name()); err != nil {
		return err
	}
	return a.Printf("%s judges pages as a shadow model from the next start or turn of a crawl; `eventseer model compare` shows where it differs\n", v.Name())
}

// CompareShadow prints the record of the shadow model, or of the named version. For readers it lists at most
// most differences.
func CompareShadow(a *app.App, name string, most int) error {
	r := OpenRegistry(a)
	v, ok, err := r.ShadowVersion()
	if name != "" {
		v, err = r.Find(name)
		ok = err == nil
	}
	switch {
	case err != nil:
		return err
	case !ok:
		return app.Usagef("no shadow model is in use; `eventseer model shadow FILE` starts one, and model compare TASK@NUMBER shows the record of an earlier one")
	}
	report, err := readShadow(a, v)
	if err != nil {
		return err
	}
	return a.PrintLine(report, func(w io.Writer) error { return report.writeText(w, most) })
}

func (r ShadowReport) writeText(w io.Writer, most int) error {
	tw := app.NewTabWriter(w)
	fmt.Fprintf(tw, "shadow\t%s\n", r.Shadow)
	fmt.Fprintf(tw, "beside\t%s\n", strings.Join(r.Used, ", "))
	fmt.Fprintf(tw, "pages\t%s\n", describeTally(r.Tally))
	counts := map[[2]string]int{}
	for _, d := range r.Differ {
		counts[[2]string{d.Used, d.Shadow}]++
	}
	pairs := make([][2]string, 0, len(counts))
	for pair := range counts {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [2]string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a[0]+" "+a[1], b[0]+" "+b[1])
	})
	for _, pair := range pairs {
		fmt.Fprintf(tw, "%s → %s\t%d\n", pair[0], pair[1], counts[pair])
	}
	for i, d := range r.Differ {
		if i == most {
			fmt.Fprintf(tw, "\n%d more: --top shows more of them, --format json all\n", len(r.Differ)-most)
			break
		}
		if i == 0 {
			fmt.Fprintln(tw)
		}
		fmt.Fprintf(tw, "%s %.3f → %s %.3f\t%s\n", d.Used, d.UsedScore, d.Shadow, d.ShadowScore, text.Printable(d.URL))
	}
	if r.Cut {
		fmt.Fprintf(tw, "\nthe record is full: later differences are counted but not listed\n")
	}
	if r.Unended {
		fmt.Fprintf(tw, "\nthe last run is still running or was killed, so its pages are not counted\n")
	}
	return tw.Flush()
}

// PromoteModel puts a version in use if compare finds it no worse than the model in use. compare gets the
// names of both.
func PromoteModel(a *app.App, name string, compare func(used, candidate *classify.Model, usedName, name string) error) error {
	v, err := StoreModel(a, name)
	if err != nil {
		return err
	}
	if !slices.Contains(pageTasks, v.Task) || v.Task == classify.TaskLink {
		return app.Usagef("%s: eval cannot measure models of task %s, so this model cannot be compared; `eventseer model use %s` puts it in use without a comparison", name, v.Task, name)
	}
	r := OpenRegistry(a)
	before, err := r.InUse(v.Task)
	if err != nil {
		return err
	}
	if before == v {
		return printModelInUse(a, v, v)
	}
	used, err := openVersion(r, before)
	if err != nil {
		return err
	}
	candidate, err := openVersion(r, v)
	if err != nil {
		return err
	}
	if err := compare(used, candidate, Describe(before), Describe(v)); err != nil {
		return fmt.Errorf("%s stays in use: %w", Describe(before), err)
	}
	now, err := r.PutInUse(v)
	if err != nil {
		return err
	}
	if now != before && now.Digest != before.Digest {
		a.Logf("%s was put in use in the meantime, and was not compared with %s", Describe(now), Describe(v))
	}
	return printModelInUse(a, now, v)
}

// openVersion reads the model of a version.
func openVersion(r *registry.Registry, v registry.Version) (*classify.Model, error) {
	switch {
	case v.Number > 0:
		data, err := r.Read(v)
		if err != nil {
			return nil, err
		}
		return readPageModel(v.Task, data)
	case v.Digest != "":
		return OpenModel(v.From)
	}
	return ShippedModel(v.Task)
}

// IsUnknown reports whether an error means that there is no version of the given name.
func IsUnknown(err error) bool { return errors.Is(err, registry.ErrUnknown) }
