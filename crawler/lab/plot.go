package lab

import (
	"fmt"
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	_ "gonum.org/v1/plot/vg/vgimg" // draws PNG
	_ "gonum.org/v1/plot/vg/vgsvg" // draws SVG
)

// The size of a picture.
const (
	plotWidth  = 22 * vg.Centimeter
	plotHeight = 13 * vg.Centimeter
)

// palette are colours that people with any colour vision can distinguish (Okabe and Ito 2008). With
// more strategies than colours the lines are dashed as well.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x33, 0x33, 0x33, 0xff},
}

var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(1.5), vg.Points(2.5)}, {vg.Points(8), vg.Points(3), vg.Points(1.5), vg.Points(3)}}

// legendRoom is the ratio of the axis to the budget. The space after the budget contains the names
// of the curves.
const legendRoom = 1.3

// wholeTicks returns package plot's default ticks from 0 to last, as whole numbers.
func wholeTicks(last int) plot.Ticker {
	return plot.TickerFunc(func(float64, float64) []plot.Tick {
		ticks := plot.DefaultTicks{}.Ticks(0, float64(last))
		for i := range ticks {
			if ticks[i].Label != "" {
				ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'f', -1, 64)
			}
		}
		return ticks
	})
}

// Plot draws the curves with the band of their 95 % intervals, as "svg" or "png".
func (e *Experiment) Plot(w io.Writer, curves []Curve, format string) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Targets fetched (of %d), mean over %d draws", len(e.Targets), len(e.Seeds))
	if len(e.Seeds) == 1 {
		p.Title.Text = fmt.Sprintf("Targets fetched of %d", len(e.Targets))
	}
	p.X.Label.Text, p.Y.Label.Text = "pages spent, backlink calls included", "targets fetched"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, legendRoom*float64(e.Budget), 0, float64(len(e.Targets))
	p.X.Tick.Marker, p.Y.Tick.Marker = wholeTicks(e.Budget), wholeTicks(len(e.Targets))
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for i, c := range curves {
		if err := addCurve(p, c, i); err != nil {
			return err
		}
	}
	drawn, err := p.WriterTo(plotWidth, plotHeight, format)
	if err != nil {
		return err
	}
	_, err = drawn.WriteTo(w)
	return err
}

// addCurve adds a curve and the band of its interval.
func addCurve(p *plot.Plot, c Curve, n int) error {
	n1 := len(c.Points)
	line, band := make(plotter.XYs, n1), make(plotter.XYs, 2*n1)
	for i, at := range c.Points {
		x := float64(at.Budget)
		line[i] = plotter.XY{X: x, Y: at.Found.Mean}
		band[i] = plotter.XY{X: x, Y: at.Found.CI95[0]}
		band[2*n1-1-i] = plotter.XY{X: x, Y: at.Found.CI95[1]}
	}
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return err
	}
	hue := palette[n%len(palette)]
	pale := color.NRGBA{hue.R, hue.G, hue.B, 0x22}
	area.Color, area.LineStyle.Width = pale, 0
	curve, err := plotter.NewLine(line)
	if err != nil {
		return err
	}
	curve.LineStyle = draw.LineStyle{Color: hue, Width: vg.Points(1.6), Dashes: dashes[n/len(palette)%len(dashes)]}
	p.Add(area, curve)
	p.Legend.Add(c.Strategy, curve)
	return nil
}
